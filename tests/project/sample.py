"""A small notebook with one cell for each thing that a comparison may overlook."""

import textwrap

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

CELLS = {
    "parameters": 'n = 3\nsource = "standin"  # real: "uci"',
    "imports": """
        import inspect, io, sys, time
        import ipywidgets as W
        import matplotlib.pyplot as plt
        import pandas as pd
        from matplotlib.figure import Figure""",
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
        slider = W.IntSlider(95, 50, 100, description="n (%)", continuous_update=False)
        row = W.Dropdown(options=["0", "1"], description="row")
        image, text = W.Image(format="png", width=300), W.HTML()

        def update(change=None):
            figure, buffer = Figure(figsize=(3, 2)), io.BytesIO()
            figure.subplots().bar(["n", "row"], [slider.value, 10 * int(row.value)])
            figure.savefig(buffer, metadata={"Software": None})
            image.value = buffer.getvalue()
            text.value = f"<b>n = {slider.value}</b>, row {row.value}: {slider.value / 7} bits"

        slider.observe(update, "value")
        row.observe(update, "value")
        update()
        W.VBox([W.HBox([slider, row]), text, image])""",
    "drive": "slider.value = 75\nprint(text.value)",
    "claim": 'assert "75" in text.value, "the text follows the slider"',
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
