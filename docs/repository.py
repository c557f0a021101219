"""Say where the repository is, in all files that do: `python3 docs/repository.py OWNER/NAME`.

`pyproject.toml` holds the address, and the other files repeat it.
"""

import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PLACES = ("README.md", "CITATION.cff", ".github/SECURITY.md", "docs/index.md")
PLACES += ("docs/custodians.md", "docs/contributing.md", "toolkit/__main__.py")
PLACES += ("pyproject.toml",)


def main(arguments: list[str]) -> None:
    """Put the new owner and name in place of those that are there."""
    if len(arguments) != 1 or not re.fullmatch(r"[\w.-]+/[\w.-]+", arguments[0]):
        sys.exit("name owner and repository: python3 docs/repository.py OWNER/NAME")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    old = project["urls"]["Repository"].removeprefix("https://github.com/")
    for path in map(ROOT.joinpath, PLACES):
        text = path.read_text(encoding="utf-8").replace(old, arguments[0])
        for form in ("\ncd {1}\n", " {1}/dev.py ", "//{0}.github.io/{1}/"):
            names = (form.format(*address.split("/")) for address in (old, arguments[0]))
            text = text.replace(*names)
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
