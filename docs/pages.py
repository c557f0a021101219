"""Write the pages that are made from notebooks and tests: `python docs/pages.py`.

The page for replicators needs the real files for some of its sections; without them
(PRIVACY_TOOLKIT_DATA, see data/DATASHEETS.md) those sections are kept as they are.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tests import published

if __name__ == "__main__":
    before = published.PAGE.read_text(encoding="utf-8")
    published.PAGE.write_text(published.page(before), encoding="utf-8")
