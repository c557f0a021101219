"""What tests of figures share."""

import pytest
from matplotlib.figure import Figure


@pytest.fixture
def ax():
    """Axes of a figure that pyplot does not know."""
    return Figure(layout="constrained").subplots()
