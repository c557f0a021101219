"""Tables from files: any kind, packing, separator and encoding; one clear line otherwise."""

import bz2
import gzip
import lzma
import zipfile
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import openpyxl
import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest

import toolkit as tk
from toolkit import read_table
from toolkit.io import files, tables
from toolkit.io.files import check_merged
from toolkit.io.tables import _merged

TABLE = pd.DataFrame(
    {"town": ["Aarau", "Bérn", "Chur"], "zip": ["0200", "2600", "7000"], "age": [1, 2, 3]}
)
TEXT = TABLE.to_csv(index=False)


def same(found):
    pd.testing.assert_frame_equal(found, TABLE, check_dtype=False)


@pytest.fixture
def people(tmp_path):
    """Read a text that is stored as people.csv."""

    def read(text, **options):
        path = tmp_path / "people.csv"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return read_table(path, **options)

    return read


def zstandard(data, path):
    with pa.CompressedOutputStream(str(path), "zstd") as stream:
        stream.write(data)


def zipped(data, path):
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("people.csv", data)


PACKED = {
    ".csv": lambda data, path: path.write_bytes(data),
    ".txt": lambda data, path: path.write_bytes(data),
    ".csv.gz": lambda data, path: path.write_bytes(gzip.compress(data)),
    ".csv.bz2": lambda data, path: path.write_bytes(bz2.compress(data)),
    ".csv.xz": lambda data, path: path.write_bytes(lzma.compress(data)),
    ".csv.zst": zstandard,
    ".zip": zipped,
}


@pytest.mark.parametrize("ending", PACKED)
def test_packed_texts(ending, tmp_path):
    path = tmp_path / f"people{ending}"
    PACKED[ending](TEXT.encode(), path)
    same(read_table(path))


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_the_separator_is_found(separator, people):
    text = TABLE.to_csv(index=False, sep=separator)
    same(people(text))
    same(people(text, separator=separator))


def test_separators_inside_quotes_do_not_mislead(people):
    found = people('name;note\n"Smith, Ann";"a,b,c"\n"Doe, Jo";"d,e,f"\n')
    assert found.columns.tolist() == ["name", "note"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_the_encoding_is_found(encoding, people):
    same(people(TEXT.encode(encoding)))
    same(people(TEXT.encode(encoding), encoding=encoding))


def test_an_encoding_that_is_guessed_is_said(people):
    with pytest.warns(UserWarning, match="read as cp1252, which is a guess: give its enc"):
        same(people(TEXT.encode("cp1252")))
    same(people(TEXT.encode("cp1252"), encoding="cp1252"))


@pytest.mark.parametrize("ending", [".parquet", ".feather", ".xlsx"])
def test_tables_that_know_their_columns(ending, tmp_path):
    path = tmp_path / f"people{ending}"
    if ending == ".parquet":
        TABLE.to_parquet(path)
    elif ending == ".feather":
        pyarrow.feather.write_feather(TABLE, path)
    else:
        TABLE.to_excel(path, index=False)
    same(read_table(path))


def test_a_folder_of_parquet_files_is_one_table(tmp_path):
    TABLE[:2].to_parquet(tmp_path / "1.parquet")
    TABLE[2:].to_parquet(tmp_path / "2.parquet")
    same(read_table(tmp_path).reset_index(drop=True))


def test_a_packed_parquet_file(tmp_path):
    TABLE.to_parquet(tmp_path / "people.parquet")
    path = tmp_path / "people.parquet.gz"
    path.write_bytes(gzip.compress((tmp_path / "people.parquet").read_bytes()))
    same(read_table(path))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("town,sex,ill\nA,m,flu\nA,hiv\nB,f,flu\n", "line 3 of .* has 2 of 3 cells"),
        ('sep=;\na;b;c\n\n"x\ny";1;\n2;3\n', "line 6 of .* has 2 of 3 cells"),
        ("town,age,age,ill\nA,40,31,flu\n", "line 1 of .* has the name 'age' 2 times"),
        ("sep=;\nage;age\n1;2\n", "line 2 of .* has the name 'age' 2 times"),
    ],
)
def test_cells_below_the_wrong_name_are_refused_with_the_line(people, text, said):
    with pytest.raises(ValueError, match=said):
        people(text)


def test_hidden_sheets_are_named_and_a_name_that_occurs_twice_is_refused(tmp_path):
    path, book = tmp_path / "people.xlsx", openpyxl.Workbook()
    for row in (["age", "ill"], [30, "flu"]):
        book.active.append(row)
    book.create_sheet("Names").sheet_state = "hidden"
    book.save(path)
    with pytest.warns(files.ReadingWarning, match=r"hidden sheets \('Names'\) that are not"):
        assert len(read_table(path, sheet=book.sheetnames[0])) == 1
    book.active["B1"] = "age"
    book.save(path)
    with pytest.raises(ValueError, match="has the name 'age' 2 times"):
        read_table(path, sheet=book.sheetnames[0])


def test_a_sheet_is_chosen(tmp_path):
    path = tmp_path / "people.xlsx"
    with pd.ExcelWriter(path) as book:
        TABLE.to_excel(book, sheet_name="now", index=False)
        TABLE[:1].to_excel(book, sheet_name="then", index=False)
    same(read_table(path, sheet="now"))
    for sheet in (None, "soon"):
        with pytest.raises(ValueError, match="there are 'now', 'then'"):
            read_table(path, sheet=sheet)


def test_a_zero_behind_a_point_is_no_reason_to_read_a_text_again(tmp_path, monkeypatch):
    path, read, calls = tmp_path / "dose.csv", pd.read_csv, []
    path.write_text("dose,zip\n1.05,12345\n2.5,54321\n")
    monkeypatch.setattr(pd, "read_csv", lambda *a, **k: calls.append(k) or read(*a, **k))
    assert read_table(path)["dose"].tolist() == [1.05, 2.5]
    assert not [one for one in calls if one.get("dtype") is str and "nrows" not in one]
    path.write_text("dose,day\n1.05,2020-01-05\n2.5,15:01\n")
    assert read_table(path)["dose"].tolist() == [1.05, 2.5]
    assert not [one for one in calls if one.get("dtype") is str], "nor in a date"
    path.write_text("dose,zip\n1.05,02345\n2.5,54321\n")
    assert read_table(path)["zip"].tolist() == ["02345", "54321"]
    path.write_text('zip\tdose\n" 02345"\t1\n54321\t2\n')
    assert read_table(path, separator="\t")["zip"].tolist() == [" 02345", "54321"]


def test_codes_stay_text_wherever_the_zero_comes(people):
    zips = [*map(str, range(1000, 30_000)), "0200"]
    table = pd.DataFrame({"zip": zips, "share": np.linspace(0, 1, len(zips))})
    found = people(table.to_csv(index=False))
    assert found["zip"].tolist() == zips
    assert found["share"].dtype == float


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("people.csv", b"", "is empty"),
        ("people.csv", b"a,b\n", "no record"),
        ("people.csv", b"town\nA\nB\n", "has one column if its cells end at ','"),
        ("people.csv", b"a,b\n1,2\n1,2,3\n", "cells end at ','"),
        ("people.csv", b"a,b\n1,2,3\n1,2,3\n", "cells end at ','"),
        ("people.csv", b"a\0b" * 9, "bytes that are no text"),
        ("people.csv", TEXT.encode("utf-32-be"), "bytes that are no text"),  # without a mark
        ("people.csv", b"\n \n\n", "is empty"),
        ("people.csv", b"# by me\na,b\n1,2\n", "is that a line of names?"),
        ("people.csv", b'a,b\n1,"2\n', "cells end at ',': EOF inside string"),
        ("people.csv", b"jo@example.org,3\nal@example.org,4\n", "first line"),
        ("people.csv", b"Jo Doe,31,f,no\nAl Roe,31,m,no\nMo Poe,4,f,yes\n", "place 1 of it"),
        ("people.csv", b"sex,ill\nf,no\nsex,ill\nm,no\n", "one line with the columns' names"),
        ("people.doc", b"a,b\n1,2\n", "ends in '.doc'"),
        ("people", b"a,b\n1,2\n", "ends in 'nothing'"),
        ("people.csv.gz", b"a,b\n1,2\n", "cannot be read as a .gz file"),
        ("people.csv.zst", b"a,b\n1,2\n", "cannot be read as a .zst file"),
        ("people.csv.xz", b"a,b\n1,2\n", "cannot be read as a .xz file"),
        ("people.zip", b"a,b\n1,2\n", "cannot be read as a zip archive"),
        ("people.parquet", b"a,b\n1,2\n", "cannot be read as Parquet"),
        ("people.feather", b"a,b\n1,2\n", "cannot be read as Feather"),
        ("people.xlsx", b"a,b\n1,2\n", "cannot be read as a workbook"),
    ],
)
def test_bad_files_are_named_in_one_line(name, content, said, tmp_path):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises((OSError, ValueError)) as caught:
        read_table(path)
    assert said in str(caught.value) and "\n" not in str(caught.value)
    assert "example.org" not in str(caught.value), "no cell is quoted"
    assert "Doe" not in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        "0,1,2\n1,1,0\n0,1,2\n",
        "country,2019,2020\nA,2019,2020\nB,1,2\n",
        "male,female\nmale,no\nno,no\n",
        "True,True.1\nFalse,no\nTrue,yes\n",
    ],
)
def test_names_may_be_numbers_or_a_cell_by_chance(text, people):
    assert ",".join(map(str, people(text).columns)) == text.split("\n")[0]


@pytest.mark.parametrize("last", [9007199254740993, 8000])
def test_whole_numbers_stay_whole_where_some_are_missing(last, people):
    found = people(f"zip,pay,none\n3012,1.5,\n,2,\n{last},,\n")
    assert found.dtypes.astype(str).tolist() == ["Int64", "float64", "float64"]
    assert found["zip"].dropna().astype(str).tolist() == ["3012", str(last)]
    assert found.isna().sum().tolist() == [1, 1, 3]


def test_a_comma_may_stand_in_a_number_where_it_ends_no_cell(people):
    text = "kg;price;code;town;two\n70,5;1,234;0,5;A,1;1,5\n-3;5,678;07,5;B;\n\n"
    found = people(text)
    assert found["kg"].tolist() == [70.5, -3] and found["two"].tolist()[0] == 1.5
    assert found["price"].tolist() == ["1,234", "5,678"], "thousands, or decimals: who knows?"
    assert found["code"].tolist() == ["0,5", "07,5"] and found["town"].tolist() == ["A,1", "B"]
    assert people('kg,sex\n"70,5",f\n"60,5",m\n')["kg"].tolist() == ["70,5", "60,5"]


@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_a_line_for_spreadsheets_names_the_separator(mark, people):
    found = people(f"{mark}sep=|\na,b|c\n1,2|3\n")
    assert found.columns.tolist() == ["a,b", "c"] and found["c"].tolist() == [3]


def test_folders_and_links_that_lead_nowhere(tmp_path):
    (tmp_path / "people").mkdir()
    with pytest.raises(ValueError, match="is a folder without a .parquet file"):
        read_table(tmp_path / "people")
    (tmp_path / "people.csv").symlink_to("nowhere.csv")
    with pytest.raises(FileNotFoundError, match=r"there is no file '[^']*'\. Did") as caught:
        read_table(tmp_path / "people.csv")
    assert "Did you mean 'people'?" in str(caught.value)


def test_a_title_above_the_names_is_refused_as_in_a_sheet(people):
    """As a spreadsheet saves it: names of people would be values of unnamed columns."""
    text = b"Northern ward;;;\nname;age;zip;illness\nAnn;33;10115;flu\nBob;44;20095;hiv\n"
    with pytest.raises(ValueError, match="title above .*line 1 has 1 cell, line 2 has 4"):
        people(text)
    index = b";age;zip\n0;33;10115\n1;44;20095\n"
    assert people(index).shape == (2, 3), "one column without a name is no title"


WESTERN = {
    "French": ["LEFÈVRE Chloé;employé;900 €", "BENOÎT François;ouvrier;1 200 €"],
    "German": ["Weiß;Köln;3,50 €", "Müller;Düsseldorf;„Süßes“"],
    "Spanish": ["MUÑOZ;A Coruña;¿qué?", "GARCÍA;Málaga;1º B"],
    "a sign alone": ["Person 1;900 €;-", "Person 2;800 €;-"],
    "pounds": ["Person 1;£900;-", "Person 2;£800;-"],
}


@pytest.mark.parametrize("name", WESTERN)
def test_texts_of_windows_are_not_taken_for_those_of_a_mac_or_dos(name, people):
    text = "\n".join(["one;two;three", *WESTERN[name] * 60])
    with pytest.warns(UserWarning, match="read as cp1252"):
        data = people(text.encode("cp1252"))
    assert [";".join(row) for row in data.to_numpy()[:2]] == WESTERN[name]


@pytest.mark.parametrize(
    ("rows", "encoding"),
    [
        (["Иванов;Москва;грипп", "Петрова;Казань;астма"], "cp1251"),
        (["Παπαδόπουλος;Αθήνα;-", "Γεωργίου;Θεσσαλονίκη;-"], "cp1253"),
        (["Lefèvre;Besançon;asthme", "Benoît;Nîmes;diabète"], "cp850"),
        (["Šťastný;Žďár;-", "Dvořák;České Budějovice;-"], "cp1250"),
    ],
)
def test_texts_of_other_alphabets_and_of_dos_are_no_western_ones(rows, encoding, people):
    text = "\n".join(["one;two;three", *rows * 60])
    with pytest.warns(UserWarning, match=f"read as {encoding}"):
        data = people(text.encode(encoding))
    assert [";".join(row) for row in data.to_numpy()[:2]] == rows


def test_a_decimal_comma_before_three_figures_is_one_where_a_zero_stands_before_it(people):
    data = people(b"weight;sex\n0,512;f\n3,104;m\n1,250;f\n")
    assert data["weight"].tolist() == [0.512, 3.104, 1.25]
    data = people(b"weight;sex\n2,512;f\n3,104;m\n1,250;f\n")
    assert data["weight"].tolist() == ["2,512", "3,104", "1,250"], "may be thousands"


@pytest.mark.parametrize(
    ("encoding", "options", "said"),
    [
        ("cp1252", {"encoding": "utf-8"}, "say which it is"),
        ("cp1252", {"encoding": "klingon"}, "say which it is"),
        ("utf-8", {"separator": "ab"}, "one character"),
        ("utf-8", {"sheet": "now"}, "a sheet is for workbooks"),
        ("utf-8", {"separator": ";"}, "cells end at ';'.*such as --separator ','"),
    ],
)
def test_options_that_do_not_fit_are_named(encoding, options, said, people):
    with pytest.raises(ValueError, match=said):
        people(TEXT.encode(encoding), **options)


def test_a_parquet_file_has_no_separator_and_a_name(tmp_path):
    TABLE.to_parquet(tmp_path / "people.parquet")
    with pytest.raises(ValueError, match="a separator is for texts"):
        read_table(tmp_path / "people.parquet", separator=";")
    with pytest.raises(FileNotFoundError, match="Did you mean 'people.parquet'"):
        read_table(tmp_path / "poeple.parquet")


def test_an_archive_holds_one_table(tmp_path):
    path = tmp_path / "people.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.csv", TEXT)
        archive.writestr("b.csv", TEXT)
    with pytest.raises(ValueError, match="must hold one table; it holds 'a.csv', 'b.csv'"):
        read_table(path)


LONG = ["4929123456789012345", "4929123456789012346", "4929123456789012347"]


@pytest.mark.parametrize(
    "cells",
    [
        LONG,
        ["18446744073709551615", "18446744073709551614"],
        ["18446744073709551616", "18446744073709551617", "-18446744073709551617"],
        ["018446744073709551616", "18446744073709551616"],
        ["-4929123456789012345", "18446744073709551615"],
        ["0.12345678901234567", "0.12345678901234566"],
        ["4929123456789012345.5", "4929123456789012345.25", "1"],
        ["1e400", "1e401"],
        ["1e-400", "0"],
        ["9007199254740993", "9007199254740992"],
        ["0200", "200"],
    ],
)
@pytest.mark.parametrize("missing", [0, 2])
@pytest.mark.parametrize("separator", [",", ";"])
def test_numbers_that_differ_stay_different(cells, missing, separator, people):
    rows = [f"{cell}{separator}A" for cell in cells + [""] * missing + cells]
    found = people("\n".join([f"card{separator}town", *rows]))["card"]
    assert found.nunique() == len(cells) and found.isna().sum() == missing
    if cells == LONG:
        assert found.dropna().tolist() == [*map(int, cells)] * 2


def test_decimal_numbers_stay_numbers_if_they_are_told_apart(people):
    found = people("a,b\n0.30000000000000004,1.0\n0.3,1.00000000000000000\n0.3,\n")
    assert found["a"].tolist() == [0.30000000000000004, 0.3, 0.3]
    assert found["b"].tolist()[:2] == [1, 1], "one number, written in two ways"


WAYS = {
    "drinks": ["None", "beer", None],
    "eats": ["None", "meat", "None"],  # all of them are known
    "smokes": ["NA", "no", "NA"],
    "shoes": [9, "NA", None],
    "hats": ["None", 7, "None"],
}


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".xlsx"])
def test_missing_cells_that_a_reader_tells_apart_are_no_one_value(ending, tmp_path):
    path = tmp_path / f"people{ending}"
    table = pd.DataFrame(WAYS, dtype=object)
    if ending == ".xlsx":
        table.to_excel(path, index=False)
    else:
        table.to_csv(path, index=False, sep="\t" if ending == ".tsv" else ",")
    with pytest.warns(UserWarning) as said:
        found = read_table(path)
    [warning] = said  # of the numbers, which cannot keep both
    assert (
        f"{str(path)!r} says in several ways that a cell of 'shoes' is missing ('', 'NA')"
        in (str(warning.message))
    )
    drinks, eats, smokes, shoes, hats = (found[name] for name in WAYS)
    assert list(eats) == WAYS["eats"] and hats.isna().tolist() == [True, False, True]
    assert list(drinks[:2]) == ["None", "beer"] and drinks.isna().tolist() == [
        False,
        False,
        True,
    ]
    assert smokes.isna().tolist() == [True, False, True] and smokes[1] == "no"
    assert shoes[0] == 9 and shoes.isna().tolist() == [False, True, True]
    assert tk.k_anonymity(found, ["drinks"]) == 1
    assert tk.equivalence_classes(found, ["smokes"]).sizes.tolist() == [2, 1]


@pytest.mark.parametrize("ending", [".parquet", ".feather"])
def test_whole_numbers_beside_missing_ones_stay_exact(ending, tmp_path):
    path = tmp_path / f"people{ending}"
    kinds = {"int64": 2**62, "uint64": 2**63, "int8": 5}
    columns = {
        name: pa.array([n, n + 1, None], pa.type_for_alias(name)) for name, n in kinds.items()
    }
    table = pa.table({**columns, "list": [[2**53, None], [2**53 + 1, None], []]})
    write = pa.parquet.write_table if ending == ".parquet" else pa.feather.write_feather
    write(table, path)
    found = read_table(path)
    for name, n in kinds.items():
        assert found[name].tolist() == [n, n + 1, pd.NA]
    assert found["list"].tolist() == table["list"].to_pylist()


@pytest.mark.parametrize("ending", [".csv.gz", ".csv.bz2", ".csv.xz", ".csv.zst", ".zip"])
def test_what_a_file_unpacks_to_has_a_limit(ending, tmp_path, monkeypatch):
    path = tmp_path / f"people{ending}"
    PACKED[ending](b"a,b\n" + b"1,2\n" * 10**6, path)
    monkeypatch.setattr(files, "UNPACKED", 1 << 20)
    with pytest.raises(ValueError, match="unpacks to more than .*unpack it or save"):
        read_table(path)


def test_a_workbook_is_measured_before_it_is_read(tmp_path):
    path = tmp_path / "people.xlsx"
    book = openpyxl.Workbook()
    book.active["XFD1048576"] = 1
    book.save(path)
    with pytest.raises(ValueError, match="a sheet of more than 10,000,000 cells"):
        read_table(path)


def test_formulas_that_no_program_computed_are_refused(tmp_path):
    path = tmp_path / "people.xlsx"
    book = openpyxl.Workbook()
    for row in (["age", "sex"], ["=1+1", "f"], ["=1+2", "m"]):
        book.active.append(row)
    book.save(path)
    with pytest.raises(ValueError, match=r"formulas without a result \(2\).*open and save it"):
        read_table(path)


def test_a_small_parquet_file_of_many_records_is_refused(tmp_path, monkeypatch):
    path = tmp_path / "people.parquet"
    pa.parquet.write_table(pa.table({"a": pa.repeat(1, 10**6)}), path)
    monkeypatch.setattr(tables, "UNPACKED", 1 << 20)
    with pytest.raises(ValueError, match="GiB of memory, more than 100 times .*open_table"):
        read_table(path)


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_a_table_has_not_more_columns_than_a_sheet(ending, tmp_path, monkeypatch):
    monkeypatch.setattr(files, "COLUMNS", 1000)
    path = tmp_path / f"people{ending}"
    names = [f"c{j}" for j in range(2000)]
    if ending == ".csv":
        path.write_text("\n".join([",".join(names), ",".join("1" * len(names))]))
    else:
        pa.parquet.write_table(pa.table({name: [1] for name in names}), path)
    with pytest.raises(ValueError, match="has 2,000 columns, and at most 1,000 are read"):
        read_table(path)


@pytest.mark.parametrize(("place", "value"), [(6, 1), (8, 9)])
def test_archives_with_a_password_or_an_unknown_method(place, value, tmp_path):
    path = tmp_path / "people.zip"
    zipped(TEXT.encode(), path)
    content = bytearray(path.read_bytes())
    for start, extra in ((b"PK\3\4", 0), (b"PK\1\2", 2)):
        content[content.index(start) + place + extra] = value
    path.write_bytes(content)
    with pytest.raises(
        ValueError, match=r"cannot be read as a .zip file: .*(password|supported)"
    ):
        read_table(path)


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.binary()])
def test_a_text_that_parquet_stores_once_is_not_repeated_beyond_the_limit(
    kind, tmp_path, monkeypatch
):
    monkeypatch.setattr(tables, "UNPACKED", 1 << 24)
    path = tmp_path / "p.parquet"
    for rows, length in ((30, 1 << 20), (3000, 9000)):
        cells = pa.array(["x" * length] * rows, kind)
        pa.parquet.write_table(pa.table({"a": cells}), path, store_schema=rows == 30)
        with pytest.raises(ValueError, match="would take at least 0.0 GiB of memory"):
            read_table(path)
        table = pa.table({"a": cells.dictionary_encode(), "n": range(rows)})
        pa.parquet.write_table(table, path)
        assert read_table(path).shape == (rows, 2)  # as categories it is stored once here, too
    cells = [None if i % 7 == 0 else f"{i % 5}" * 5000 for i in range(3000)]
    pa.parquet.write_table(pa.table({"a": pa.array(cells, kind)}), path)
    monkeypatch.setattr(tables, "TIMES_PACKED", 10**6)
    assert read_table(path)["a"].isna().sum() == 429


def test_cells_of_lists_are_counted_before_they_are_read(tmp_path, monkeypatch):
    monkeypatch.setattr(tables, "UNPACKED", 1 << 20)
    many = pa.ListArray.from_arrays(pa.array([0, 10**6], pa.int32()), pa.nulls(10**6, "int64"))
    pa.parquet.write_table(pa.table({"a": many}), tmp_path / "l.parquet")
    with pytest.raises(ValueError, match="would take at least 0.0 GiB of memory"):
        read_table(tmp_path / "l.parquet")


def bomb_of(kind):
    """A table of Arrow of which a small file holds many cells."""
    if kind == "zeros":
        return pa.table({"a": np.zeros(300_000, np.int8)})
    if kind == "nothing":
        return pa.table({"a": pa.nulls(300_000)})
    if kind == "one run":
        ends = pa.array([300_000], pa.int32())
        return pa.table({"a": pa.RunEndEncodedArray.from_arrays(ends, pa.array(["x"]))})
    return pa.table({"a": pa.array(["x" * 400_000]).dictionary_encode()})


@pytest.mark.parametrize("kind", ["zeros", "nothing", "one run", "a long text"])
def test_a_feather_file_is_counted_before_it_is_unpacked(tmp_path, monkeypatch, kind):
    table = bomb_of(kind)
    with pa.OSFile(str(tmp_path / "b.arrow"), "wb") as file:
        options = pa.ipc.IpcWriteOptions(compression="zstd")
        with pa.ipc.new_file(file, table.schema, options=options) as written:
            written.write_table(table)
    monkeypatch.setattr("toolkit.io.tables.UNPACKED", 300_000)
    monkeypatch.setattr("toolkit.io.tables.TIMES_PACKED", 20)
    monkeypatch.setattr(pa.ipc.RecordBatchFileReader, "read_all", None, raising=False)
    with pytest.raises(ValueError, match="more than 20 times the size of its files"):
        read_table(tmp_path / "b.arrow")


@pytest.mark.parametrize("compression", ["lz4", "zstd", "uncompressed"])
def test_what_a_feather_file_unpacks_to_is_known(tmp_path, compression):
    table = pa.table({"a": range(10_000), "b": [None, "x"] * 5_000})
    pa.feather.write_feather(table, tmp_path / "f.feather", compression=compression)
    held = sum(tables._unpacked(one, 1) for one in tables._messages(tmp_path / "f.feather"))
    assert 0 <= held - table.nbytes < 200


def test_times_of_nanoseconds_are_kept_apart(tmp_path):
    times = pa.table({"q": [0, 0, 0], "s": pa.array([1, 2, 1], pa.time64("ns"))})
    pa.parquet.write_table(times, tmp_path / "times.parquet")
    for data in (times, read_table(tmp_path / "times.parquet")):
        assert tk.l_diversity(data, "q", "s") == 2


@pytest.mark.parametrize(
    ("cells", "read"),
    [
        (["1.200", "980", "12.500"], ["1.200", "980", "12.500"]),
        (["1.200", "980", ""], ["1.200", "980", None]),
        (["1.200", "9.80", "12.500"], [1.2, 9.8, 12.5]),
        (["1.200", "2.300", "12.500"], [1.2, 2.3, 12.5]),
        (["0.125", "3", "4"], [0.125, 3, 4]),
    ],
)
def test_points_between_thousands_are_no_decimal_points(tmp_path, cells, read):
    path = tmp_path / "pay.csv"
    lines = [f"{who};{cell}\n" for who, cell in enumerate(cells)]
    path.write_text("".join(["who;pay\n", *lines]))
    found = read_table(path)["pay"]
    assert [None if pd.isna(cell) else cell for cell in found] == read


def test_a_decimal_comma_elsewhere_makes_points_thousands(tmp_path):
    path = tmp_path / "pay.csv"
    path.write_text("size;pay\n1,75;1.200\n1,8;12.500\n")
    found = read_table(path)
    assert found["pay"].tolist() == ["1.200", "12.500"]
    assert found["size"].tolist() == [1.75, 1.8]


def test_merged_cells_of_an_old_workbook_are_seen():
    """Nothing here writes .xls, so the sheet is one as xlrd describes it."""
    sheet = SimpleNamespace(merged_cells=[(1, 3, 0, 1)])
    book = SimpleNamespace(sheet_by_name={"people": sheet}.__getitem__)
    with pytest.raises(ValueError, match="merged cells .1, such as lines 2 to 3"):
        check_merged(_merged(book, "people", {}), Path("old.xls"))


def test_a_title_of_two_cells_and_a_sheet_without_names(tmp_path):
    for rows, refused in (
        ([["Ward", None, None, None], [None], ["name", "age", "sex", "ill"]], True),
        ([["name", None, None], ["a", 1, 2], ["b", 1, 2]], False),
    ):
        book = openpyxl.Workbook()
        for row in [*rows, *[["Ann", 3, 4, 5]] * 2]:
            book.active.append(row)
        book.save(tmp_path / "sheet.xlsx")
        if refused:
            with pytest.raises(ValueError, match="a title above the names .* line 3 has 4"):
                read_table(tmp_path / "sheet.xlsx")
        else:
            assert len(read_table(tmp_path / "sheet.xlsx"))


def test_columns_without_a_name_are_read_again_under_the_one_that_they_got(people):
    """Of a release whose cells are all texts, a line of names is no title."""
    found = people(";sex;;illness\n26;m;B;flu\n49;w;A;hiv\n")
    assert found.columns.tolist() == ["Unnamed: 0", "sex", "Unnamed: 2", "illness"]
    written = found.astype(str).to_csv(index=False).replace("26", "[20, 30)")
    assert people(written.replace("[20, 30)", "twenty")).columns.equals(found.columns)
    with pytest.raises(
        ValueError, match="line 3 has 4 cells, and the lines above it have 1; "
    ):
        people("# made in 2024\n# by hand\nage;sex;town;illness\n" + "26;m;B;flu\n" * 9)
