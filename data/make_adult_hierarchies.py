"""Make adult_hierarchies/*.csv: coarser labels for the columns of Adult that identify.

    python data/make_adult_hierarchies.py [FOLDER]

Groups and words are this project's own. Values are those of the codebook, so that a table is
recoded in the same way whatever records it holds; UCI writes a missing value as `?`, the
toolkit reads it as missing, and both have a row.
"""

import sys
from pathlib import Path

from toolkit import group_hierarchy, interval_hierarchy, suppression_hierarchy, write_hierarchy

OLDEST = 120
UNKNOWN = {"not known": ["?", None]}
GROUPS = {
    "workclass": {
        "in paid work": {
            "government": ["Federal-gov", "State-gov", "Local-gov"],
            "company": ["Private"],
            "own business": ["Self-emp-inc", "Self-emp-not-inc"],
        },
        "not in paid work": ["Without-pay", "Never-worked"],
        **UNKNOWN,
    },
    "education": {
        "no school diploma": {
            "up to grade 8": ["Preschool", "1st-4th", "5th-6th", "7th-8th"],
            "grades 9 to 12": ["9th", "10th", "11th", "12th"],
        },
        "school diploma": {
            "school diploma only": ["HS-grad"],
            "college without a degree": ["Some-college"],
        },
        "degree": {
            "associate degree": ["Assoc-acdm", "Assoc-voc"],
            "bachelor's degree": ["Bachelors"],
            "further degree": ["Masters", "Prof-school", "Doctorate"],
        },
    },
    "marital-status": {
        "married": {
            "married, together": ["Married-civ-spouse", "Married-AF-spouse"],
            "married, apart": ["Married-spouse-absent", "Separated"],
        },
        "not married": {
            "no longer married": ["Divorced", "Widowed"],
            "never married": ["Never-married"],
        },
    },
    "occupation": {
        "at a desk": {
            "management and office": ["Exec-managerial", "Adm-clerical"],
            "profession": ["Prof-specialty", "Tech-support"],
        },
        "with people": {
            "sales": ["Sales"],
            "household and other services": ["Other-service", "Priv-house-serv"],
            "protection": ["Protective-serv", "Armed-Forces"],
        },
        "by hand": {
            "craft and machines": ["Craft-repair", "Machine-op-inspct"],
            "transport and handling": ["Transport-moving", "Handlers-cleaners"],
            "farm and sea": ["Farming-fishing"],
        },
        **UNKNOWN,
    },
    "relationship": {
        "family member": {
            "spouse": ["Husband", "Wife"],
            "child or relative": ["Own-child", "Other-relative"],
        },
        "no spouse, no parents": ["Not-in-family", "Unmarried"],
    },
    "race": {
        "White": ["White"],
        "Black": ["Black"],
        "Asian, Native or other": ["Asian-Pac-Islander", "Amer-Indian-Eskimo", "Other"],
    },
    "native-country": {
        "the United States": ["United-States"],
        "elsewhere": {
            "territories of the United States": ["Outlying-US(Guam-USVI-etc)", "Puerto-Rico"],
            "Mexico and Canada": ["Mexico", "Canada"],
            "Caribbean": ["Cuba", "Dominican-Republic", "Haiti", "Jamaica", "Trinadad&Tobago"],
            "Central America": ["El-Salvador", "Guatemala", "Honduras", "Nicaragua"],
            "South America": ["Columbia", "Ecuador", "Peru"],
            "Europe, west": [
                *["England", "Scotland", "Ireland", "France", "Germany"],
                *["Holand-Netherlands", "Italy", "Portugal", "Greece"],
            ],
            "Europe, east": ["Hungary", "Poland", "Yugoslavia"],
            "Asia, south and west": ["India", "Iran"],
            "Asia, south-east": ["Cambodia", "Laos", "Philippines", "Thailand", "Vietnam"],
            # `South` is South Korea, `Hong` is Hong Kong.
            "Asia, east": ["China", "Hong", "Japan", "South", "Taiwan"],
        },
        **UNKNOWN,
    },
}
PLAIN = {"sex": ["Female", "Male"], "income": ["<=50K", ">50K"]}


def members(groups: dict | list) -> list:
    """Values of all groups."""
    if isinstance(groups, list):
        return groups
    return [value for group in groups.values() for value in members(group)]


def main() -> None:
    """Write a file per column."""
    folder = Path(__file__).parent / "adult_hierarchies"
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else folder
    folder.mkdir(exist_ok=True)
    tables = {"age": interval_hierarchy(range(OLDEST + 1), [5, 10, 20, 40])}
    tables |= {name: group_hierarchy(members(g), g) for name, g in GROUPS.items()}
    tables |= {name: suppression_hierarchy(values) for name, values in PLAIN.items()}
    for name, table in tables.items():
        write_hierarchy(table, folder / f"{name}.csv")
        print(f"{folder / name}.csv: {len(table)} values, {table.shape[1]} levels")


if __name__ == "__main__":
    main()
