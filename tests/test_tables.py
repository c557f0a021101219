"""Tables from files: any kind, packing, separator and encoding; one clear line otherwise."""

import bz2
import gzip
import lzma
import zipfile

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pytest

from toolkit.tables import read_table

TABLE = pd.DataFrame(
    {"town": ["Aarau", "Bérn", "Chur"], "zip": ["0200", "2600", "7000"], "age": [1, 2, 3]}
)
TEXT = TABLE.to_csv(index=False)


def same(found):
    pd.testing.assert_frame_equal(found, TABLE, check_dtype=False)


def zstandard(data, path):
    with pa.CompressedOutputStream(str(path), "zstd") as stream:
        stream.write(data)


def zipped(data, path):
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("people.csv", data)


PACKED = {
    ".csv": lambda data, path: path.write_bytes(data),
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
def test_the_separator_is_found(separator, tmp_path):
    path = tmp_path / "people.txt"
    path.write_text(TABLE.to_csv(index=False, sep=separator), encoding="utf-8")
    same(read_table(path))
    same(read_table(path, separator=separator))


def test_separators_inside_quotes_do_not_mislead(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text('name;note\n"Smith, Ann";"a,b,c"\n"Doe, Jo";"d,e,f"\n')
    assert read_table(path).columns.tolist() == ["name", "note"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_the_encoding_is_found(encoding, tmp_path):
    path = tmp_path / "people.csv"
    path.write_bytes(TEXT.encode(encoding))
    same(read_table(path))
    same(read_table(path, encoding=encoding))


def test_an_encoding_that_is_guessed_is_said(tmp_path):
    path = tmp_path / "people.csv"
    path.write_bytes(TEXT.encode("cp1252"))
    with pytest.warns(UserWarning, match="read as cp1252, which is a guess: give its enc"):
        same(read_table(path))
    same(read_table(path, encoding="cp1252"))
    path.write_bytes(TEXT.encode("utf-32-be"))  # without a mark
    with pytest.raises(ValueError, match="bytes that are no text"):
        read_table(path)


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


def test_a_sheet_is_chosen(tmp_path):
    path = tmp_path / "people.xlsx"
    with pd.ExcelWriter(path) as book:
        TABLE.to_excel(book, sheet_name="now", index=False)
        TABLE[:1].to_excel(book, sheet_name="then", index=False)
    same(read_table(path, sheet="now"))
    for sheet in (None, "soon"):
        with pytest.raises(ValueError, match="there are 'now', 'then'"):
            read_table(path, sheet=sheet)


def test_codes_stay_text_wherever_the_zero_comes(tmp_path):
    path = tmp_path / "people.csv"
    zips = [*map(str, range(1000, 30_000)), "0200"]
    pd.DataFrame({"zip": zips, "share": np.linspace(0, 1, len(zips))}).to_csv(
        path, index=False
    )
    found = read_table(path)
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
        ("people.csv", b"a\0b" * 9, "no text"),
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
def test_names_may_be_numbers_or_a_cell_by_chance(text, tmp_path):
    path = tmp_path / "people.csv"
    path.write_text(text)
    assert ",".join(map(str, read_table(path).columns)) == text.split("\n")[0]


def test_whole_numbers_stay_whole_where_some_are_missing(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("zip,pay,none\n3012,1.5,\n,2,\n9007199254740993,,\n")
    found = read_table(path)
    assert found.dtypes.astype(str).tolist() == ["Int64", "float64", "float64"]
    assert found["zip"].dropna().tolist() == [3012, 9007199254740993]
    path.write_text("zip,pay,none\n3012,1.5,\n,2,\n8000,,\n")
    found = read_table(path)
    assert found.dtypes.astype(str).tolist() == ["Int64", "float64", "float64"]
    assert found["zip"].dropna().astype(str).tolist() == ["3012", "8000"]
    assert found.isna().sum().tolist() == [1, 1, 3]


def test_a_comma_may_stand_in_a_number_where_it_ends_no_cell(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("kg;price;code;town;two\n70,5;1,234;0,5;A,1;1,5\n-3;5,678;07,5;B;\n\n")
    found = read_table(path)
    assert found["kg"].tolist() == [70.5, -3] and found["two"].tolist()[0] == 1.5
    assert found["price"].tolist() == ["1,234", "5,678"], "thousands, or decimals: who knows?"
    assert found["code"].tolist() == ["0,5", "07,5"] and found["town"].tolist() == ["A,1", "B"]
    path.write_text('kg,sex\n"70,5",f\n"60,5",m\n')
    assert read_table(path)["kg"].tolist() == ["70,5", "60,5"]


@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_a_line_for_spreadsheets_names_the_separator(mark, tmp_path):
    path = tmp_path / "people.csv"
    path.write_text(f"{mark}sep=|\na,b|c\n1,2|3\n", encoding="utf-8")
    found = read_table(path)
    assert found.columns.tolist() == ["a,b", "c"] and found["c"].tolist() == [3]


def test_folders_and_links_that_lead_nowhere(tmp_path):
    (tmp_path / "people").mkdir()
    with pytest.raises(ValueError, match="is a folder without a .parquet file"):
        read_table(tmp_path / "people")
    (tmp_path / "people.csv").symlink_to("nowhere.csv")
    with pytest.raises(FileNotFoundError, match=r"there is no file '[^']*'\. Did") as caught:
        read_table(tmp_path / "people.csv")
    assert "Did you mean 'people'?" in str(caught.value)


def test_options_that_do_not_fit_are_named(tmp_path):
    path = tmp_path / "people.csv"
    path.write_bytes(TEXT.encode("cp1252"))
    with pytest.raises(FileNotFoundError, match="Did you mean 'people.csv'"):
        read_table(tmp_path / "poeple.csv")
    with pytest.raises(ValueError, match="say which it is"):
        read_table(path, encoding="utf-8")
    with pytest.raises(ValueError, match="say which it is"):
        read_table(path, encoding="klingon")
    path.write_bytes(TEXT.encode())
    with pytest.raises(ValueError, match="one character"):
        read_table(path, separator="ab")
    with pytest.raises(ValueError, match="a sheet is for workbooks"):
        read_table(path, sheet="now")
    with pytest.raises(
        ValueError, match="has one column if its cells end at ';'.*such as --separator ','"
    ):
        read_table(path, separator=";")
    TABLE.to_parquet(tmp_path / "people.parquet")
    with pytest.raises(ValueError, match="a separator is for texts"):
        read_table(tmp_path / "people.parquet", separator=";")


def test_an_archive_holds_one_table(tmp_path):
    path = tmp_path / "people.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.csv", TEXT)
        archive.writestr("b.csv", TEXT)
    with pytest.raises(ValueError, match="must hold one table; it holds 'a.csv', 'b.csv'"):
        read_table(path)
