"""Privacy metrics of tables, each with its definition, its law and its notebook.

>>> import pandas as pd
>>> import toolkit as tk
>>> data = pd.DataFrame({"town": list("AAB"), "illness": ["flu", "flu", "hiv"]})
>>> tk.row_information_gain(tk.cell_information_gain(data)).idxmax()
2

Every public name is listed once, in ``__init__.pyi``, and its module is imported when the name
is first used. Plots and widgets, which need matplotlib and ipywidgets, are rooms of their own:
``from toolkit import plots, widgets``. Tables to try it on are in ``toolkit.datasets``.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
__version__ = "0.1.0"
