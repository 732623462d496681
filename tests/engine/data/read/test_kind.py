"""Kinds, roles and the target that are proposed for the columns of real files."""

import random
from pathlib import Path

import pytest

from engine.data.read.kind import propose_table
from engine.data.read.table import read_head, read_table


def write(folder: Path, text: str) -> Path:
    path = folder / "table.csv"
    path.write_bytes(text.encode())
    return path


def kinds(path: Path) -> dict[str, str]:
    return {info.name: info.kind for info in read_head(path).columns}


def titanic(rows: int = 120) -> str:
    draw = random.Random(1)
    lines = ["PassengerId,Survived,Pclass,Name,Sex,Age,SibSp,Ticket,Fare,Cabin,Embarked"]
    for number in range(1, rows + 1):
        age = draw.choice(["", str(draw.randrange(80)), "28.5"])
        cabin = draw.choice(["", "", "", f"C{draw.randrange(140)}"])
        lines.append(
            f'{number},{draw.randrange(2)},{draw.randrange(1, 4)},"Lee, Mr. ""Jo"" {number}",'
            f"{draw.choice(['male', 'female'])},{age},{draw.randrange(6)},A/{9 * number} {number},"
            f"{draw.random() * 90:.4f},{cabin},{draw.choice('SCQ')}"
        )
    return "\n".join(lines)


def test_that_a_first_column_that_begins_again_does_not_number_the_rows(tmp_path):
    rows = "\n".join(f"{i % 24},{i % 7 / 3:.2f},{i % 5}" for i in range(90))
    head = read_head(write(tmp_path, f"slot,b,c\n{rows}\n"))
    assert [info.kind for info in head.columns] == ["number", "number", "number"]


@pytest.mark.row("P13")
def test_that_passengers_have_missing_ages_classes_and_names_that_say_nothing(tmp_path):
    path = write(tmp_path, titanic())
    head = read_head(path)
    assert {info.name: info.kind for info in head.columns} == {
        "PassengerId": "id",
        "Survived": "binary",
        "Pclass": "category",
        "Name": "text",
        "Sex": "binary",
        "Age": "number",
        "SibSp": "number",
        "Ticket": "id",
        "Fare": "number",
        "Cabin": head.columns[9].kind,
        "Embarked": "category",
    }
    assert head.columns[9].kind in ("text", "id", "category")
    assert head.target == "Survived"
    assert {info.name for info in head.columns if info.role == "ignored"} >= {"PassengerId", "Name"}
    assert head.columns[5].missing > 0
    assert 'Lee, Mr. "Jo" 1' in read_table(path).column("Name").cells()


def test_that_flowers_without_a_header_end_in_their_species(tmp_path):
    rows = [f"{4 + i / 10:.1f},{3 + i / 9:.1f},1.4,0.2,Iris-{'ab'[i % 2]}x" for i in range(30)]
    head = read_head(write(tmp_path, "\n".join(rows)))
    assert not head.format.has_header
    assert [info.name for info in head.columns] == [f"column {number}" for number in range(1, 6)]
    assert head.target == "column 5"
    assert head.columns[4].kind == "binary"
    assert len(head.rows) == 30
    assert head.is_complete


def test_that_prices_with_decimal_commas_are_numbers(tmp_path):
    rows = [f"{250 + i}.{i:03}.000,50;{80 + i},25;{i % 5 + 1};Weg {i % 3}" for i in range(40)]
    path = write(tmp_path, "Preis;Fläche;Zimmer;Straße\r\n" + "\r\n".join(rows))
    head = read_head(path)
    assert (head.format.delimiter, head.format.decimal) == (";", ",")
    assert kinds(path) == {
        "Preis": "number",
        "Fläche": "number",
        "Zimmer": "number",
        "Straße": "category",
    }


def test_that_sales_have_dates_and_the_names_of_dates_in_any_order(tmp_path):
    rows = [f"2024-01-{i:02},{i:02}.02.2024,1/{i}/2024,{i * 3}" for i in range(1, 29)]
    path = write(tmp_path, "day,Tag,when,sales\n" + "\n".join(rows))
    assert kinds(path) == {"day": "date", "Tag": "date", "when": "date", "sales": "number"}
    assert read_head(path).target == "sales"


def test_that_a_date_of_which_day_and_month_could_be_either_is_not_guessed(tmp_path):
    rows = [f"{i % 12 + 1}/{i % 11 + 1}/2024,{i / 7}" for i in range(60)]
    path = write(tmp_path, "when,amount\n" + "\n".join(rows))
    assert kinds(path)["when"] != "date"
    assert kinds(path)["amount"] == "number"


def test_that_numbers_that_name_somebody_are_no_inputs(tmp_path):
    draw = random.Random(3)
    rows = [
        f"{10_000 + 7 * i},{draw.randrange(20)},0{draw.randrange(1000, 9999)},{draw.random()},{i}"
        for i in range(90)
    ]
    path = write(tmp_path, "customer_id,store_id,postcode,spent,year\n" + "\n".join(rows))
    roles = {info.name: info.role for info in read_head(path).columns}
    assert roles["customer_id"] == "ignored"
    assert kinds(path)["store_id"] == "category"
    assert kinds(path)["postcode"] not in ("number", "date")  # a 0 in front is no number's
    assert kinds(path)["spent"] == "number"


def test_that_an_amount_that_differs_in_every_row_stays_a_number(tmp_path):
    rows = [f"{i},{i * i + 17},{100_000 + 37 * i}" for i in range(50)]
    path = write(tmp_path, "x,y,price\n" + "\n".join(rows))
    assert kinds(path) == {"x": "number", "y": "number", "price": "number"}


def test_that_whole_numbers_that_are_names_are_categories(tmp_path):
    rows = [f"{i % 4},{i % 7},{i % 3},{i / 3:.2f},{i % 10}" for i in range(60)]
    path = write(tmp_path, "class,weekday,color,size,count\n" + "\n".join(rows))
    assert kinds(path) == {
        "class": "category",
        "weekday": "category",
        "color": "category",
        "size": "number",
        "count": "number",
    }
    assert read_head(path).target == "class"


@pytest.mark.parametrize("name", ["target", "Label", "CLASS", "y", "标签", "类别", "目标"])
def test_that_a_column_that_is_called_so_is_the_target_wherever_it_stands(tmp_path, name):
    rows = [f"{i / 2},{i % 3},{i / 7},{i * 0.3}" for i in range(30)]
    head = read_head(write(tmp_path, f"a,{name},b,c\n" + "\n".join(rows)))
    assert head.target == name
    assert [info.role for info in head.columns].count("target") == 1


def test_that_a_table_that_is_sorted_by_its_classes_is_seen_as_a_whole(tmp_path):
    labels = ["0"] * 60_000 + ["1"] * 60_000 + ["2"] * 9 + ["1"] * 60_000
    late = [""] * 150_000 + ["7.5"] * 3
    rows = [f"{i / 7},{late[i] if i < len(late) else ''},{one}" for i, one in enumerate(labels)]
    infos, target = propose_table(read_table(write(tmp_path, "x,late,label\n" + "\n".join(rows))))
    assert target == "label"
    assert [info.kind for info in infos] == ["number", "number", "category"]


def test_that_the_head_and_the_whole_of_a_long_table_agree_on_what_numbers_the_rows(tmp_path):
    rows = [f"{i},{i % 97 / 7:.2f},{i % 5},{i % 3}" for i in range(200_000)]
    path = write(tmp_path, "instant,x,store_id,label\n" + "\n".join(rows))
    whole, target = propose_table(read_table(path))
    head = read_head(path)
    assert [info.kind for info in whole] == [info.kind for info in head.columns]
    assert [info.kind for info in whole] == ["id", "number", "category", "category"]
    assert target == head.target == "label"


SHARED_BIKES = "instant,dteday,season,yr,hr,holiday,temp,cnt\n" + "\n".join(
    f"{i + 1},2011-01-{i % 28 + 1:02},{i % 4 + 1},{i % 2},{i % 24},{int(i % 30 == 0)},0.{i},{7 * i}"
    for i in range(150)
)
CASES_BY_DAY = "Province,Country,Lat,1/22/20,1/23/20,1/24/20\n" + "\n".join(
    f",Land {i},{i / 7:.2f},{i % 9},{i % 7},{3 * i}" for i in range(60)
)
CONTRACTS = "customerID,gender,SeniorCitizen,Contract,TotalCharges,Churn\n" + "\n".join(
    f"{1000 + i}-ABC,{'Male' if i % 3 else 'Female'},{i % 2},{['month', 'year'][i % 2]} {i % 3},"
    f"{' ' if i % 20 == 0 else i * 29.85},{'Yes' if i % 4 else 'No'}"
    for i in range(90)
)
SALES = "Datum;Filiale;Umsatz;Rabatt\n" + "\n".join(
    f"{i % 28 + 1:02}.{i % 12 + 1:02}.2023;F{i % 4};{i}.{100 + i},{i % 90 + 10} €;{i % 30} %"
    for i in range(1, 90)
)
SENSORS = "timestamp\tsensor_id\ttemp\tstatus\n" + "\n".join(
    f"2024-01-01T{i // 60:02}:{i % 60:02}:00Z\t{i % 5}\t{i / 7:.1f}\t{'ok' if i % 3 else 'fail'}"
    for i in range(90)
)
CENSUS = "\n".join(
    f"{i % 60 + 17}, {('Private', 'State-gov', '?')[i % 3]}, {20_000 + 37 * i}, <={i % 2}0K"
    for i in range(90)
)
PUPILS = "编号,姓名,性别,身高,等级,是否通过\n" + "\n".join(
    f"{i + 1},张{chr(0x4E00 + i)},{'男女'[i % 2]},{150 + i % 40},{'优良中差'[i % 4]},"
    f"{'是否'[i % 3 > 0]}"
    for i in range(90)
)


@pytest.mark.row("P13")
@pytest.mark.parametrize(
    ("text", "expected", "target"),
    [
        (SHARED_BIKES, "id date category binary number binary number number", "cnt"),
        (CASES_BY_DAY, "empty id number number number number", "1/24/20"),
        (CONTRACTS, "id binary binary category number binary", "Churn"),
        (SALES, "date category number number", "Umsatz"),
        (SENSORS, "date category number binary", "status"),
        (CENSUS, "number binary number binary", "column 4"),
        (PUPILS, "id id binary number category binary", "是否通过"),
    ],
)
def test_that_real_tables_are_read_as_what_they_are(tmp_path, text, expected, target):
    head = read_head(write(tmp_path, text))
    assert [info.kind for info in head.columns] == expected.split()
    assert head.target == target


def test_that_the_numbers_of_rows_are_no_input_but_a_time_is(tmp_path):
    rows = [f"{i},{i / 7:.2f},{i % 5 / 3:.2f},{i * 3 % 17}" for i in range(60)]
    assert kinds(write(tmp_path, ",a,b,c\n" + "\n".join(rows)))["column 1"] == "id"
    assert kinds(write(tmp_path, "step,a,b,c\n" + "\n".join(rows)))["step"] == "number"


def table_of(*rows: str) -> str:
    return "\n".join(rows)


def test_that_times_of_day_and_times_since_1970_are_dates(tmp_path):
    rows = [
        f"{6 + i % 6:02}:{7 * i % 60:02} {'AP'[i % 2]}M,{1609459200 + 61 * i},1{i % 3}:30,{i % 2}"
        for i in range(60)
    ]
    path = write(tmp_path, table_of("departs,ts,closes,late", *rows))
    assert kinds(path) == {"departs": "date", "ts": "date", "closes": "date", "late": "binary"}


def test_that_large_numbers_and_shares_are_no_times(tmp_path):
    rows = [f"{1609459200 + 977 * i},{i % 20}:{100 - i % 20},{i % 2}" for i in range(60)]
    path = write(tmp_path, table_of("population,ratio,rich", *rows))
    assert kinds(path)["population"] == "number"
    assert kinds(path)["ratio"] != "date"


def test_that_many_postal_codes_are_no_text(tmp_path):
    rows = [f"{1067 + 131 * (i % 550):05},{i % 7},{i % 2}" for i in range(600)]
    columns = read_head(write(tmp_path, table_of("zip,a,b", *rows))).columns
    assert (columns[0].kind, columns[0].role) == ("id", "ignored")


def test_that_a_column_of_one_value_is_no_input_unless_gaps_say_something(tmp_path):
    rows = [f"{i},5,{'x' if i % 3 else ''},{'3' if i % 9 == 0 else ''},{i % 2}" for i in range(60)]
    columns = read_head(write(tmp_path, table_of("a,same,pool,few,sold", *rows))).columns
    roles = {column.name: column.role for column in columns}
    assert (roles["same"], roles["few"], roles["pool"]) == ("ignored", "ignored", "input")


@pytest.mark.parametrize(
    ("header", "target"),
    [
        ("Date,Open,High,Low,Close,Volume", "Close"),
        ("longitude,rooms,Median_House_Value,ocean,age,income", "Median_House_Value"),
        ("Age,Attrition,Rate,Distance,Level,Years", "Attrition"),
        ("Ort,Zimmer,Kaufpreis,Fläche,Balkon,Jahr", "Kaufpreis"),
        ("MPG,cylinders,weight,horsepower,origin,made", "MPG"),
    ],
)
def test_that_columns_that_are_usually_predicted_are_the_target(tmp_path, header, target):
    rows = [",".join(f"{(i * 37 + at * 11) % 97}.5" for at in range(6)) for i in range(50)]
    assert read_head(write(tmp_path, table_of(header, *rows))).target == target
