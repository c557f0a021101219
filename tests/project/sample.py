"""A small notebook with one cell for each thing that a comparison may overlook."""

import textwrap

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

CELLS = {
    "parameters": 'n = 3\nsource = "standin"  # real: "uci"',
    "imports": """
        import inspect, sys, time
        import ipywidgets as W
        import matplotlib.pyplot as plt
        import pandas as pd
        from matplotlib.figure import Figure
        from toolkit.widgets import explorer""",
    "integer": "14 * n",
    "decimal": "2 / n",
    "table": 'pd.DataFrame({"town": list("AB"), "bits": [0.585, 1.585]})',
    "sign": "-1.5 * n",
    "word": 'print("record 2 leaks most -- by far")',
    "dashes": 'print("a -- b\\n-----")',
    "figure": """
        fig, ax = plt.subplots(figsize=(3, 2))
        ax.plot(range(n))
        plt.show()""",
    "noise": """
        print(time.time(), file=sys.stderr)
        print(inspect.currentframe().f_code.co_filename, object())""",
    "never ran": '"ran"',
    "cleared": '"cleared"',
    "widget": """
        def see(n, row):
            figure = Figure(figsize=(3, 2))
            figure.subplots().bar(["n", "row"], [n, 10 * int(row)])
            return f"<b>n = {n}</b>, row {row}: {n / 7} bits", figure

        slider = W.IntSlider(95, 50, 100, description="n (%)")
        row = W.Dropdown(options=["0", "1"], description="row")
        box = explorer(see, n=slider, row=row)
        box""",
    "drive": "slider.value = 75\nprint(box.summary.value)",
    "claim": 'assert "75" in box.summary.value, "the text follows the slider"',
}


def sample_notebook(cells: dict[str, str] = CELLS) -> nbformat.NotebookNode:
    """Notebook of the cells, not yet run; the name of a cell is its id."""
    notebook = new_notebook()
    title = "# Is $x^2$ compared?\n\n[next](other.ipynb)"
    notebook.cells = [new_markdown_cell(title, id="title")]
    for name, source in cells.items():
        cell = new_code_cell(textwrap.dedent(source).strip(), id=name.replace(" ", "-"))
        cell.metadata["tags"] = ["parameters"] if name == "parameters" else []
        notebook.cells.append(cell)
    return notebook
