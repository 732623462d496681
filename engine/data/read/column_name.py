"""Names of columns that say what their values are, in English, German and Chinese."""

import re

_WORD = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-zß-öø-ÿ]+|[A-ZÀ-Þ]+|\d+|[\u4e00-\u9fff]+")

_BETWEEN = re.compile(r"[\s_.-]+")


def word_list(name: str) -> list[str]:
    """Return the words of a name in small letters, in their order."""
    return [word.lower() for word in _WORD.findall(name)]


def words_in(name: str) -> frozenset[str]:
    """Return the words of a name in small letters, and the whole of it."""
    return frozenset(word_list(name)) | {name.strip().lower(), whole(name)}


def whole(name: str) -> str:
    """Return a name in small letters without what stands between its words."""
    return _BETWEEN.sub("", name.lower())


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


WEIGHTS = _words(
    "sampleweight sampleweights instanceweight caseweight observationweight rowweight 样本权重"
)
"""Whole names of columns of what a row counts, by :func:`whole`; ``weight`` means many things."""

ID_WORDS = _words("""
    id ids uuid guid key index idx rowid rownum unnamed serial phone telephone tel mobile email mail
    url ssn iban imei isbn nr no num passengerid userid customerid orderid patientid productid
    sampleid itemid studentid employeeid transactionid accountid sessionid personid kundennr
    kundennummer 编号 序号 学号 工号 身份证 身份证号 手机号 电话 订单号 客户号 用户编号 客户编号
    订单编号
""")
"""Of columns that name the row, or somebody."""

CLASS_WORDS = _words("""
    class label type category kind cluster group segment species pclass code gender sex status
    region zone zip zipcode postal postcode plz month weekday dayofweek hour season color colour
    brand model make store shop branch weather weathersit 类别 类型 标签 类 种类 性别 状态 地区
    区域 邮编 星期 月份 季节 门店
""")
"""Of columns whose whole numbers are names, not amounts."""

CODE_WORDS = _words("""
    zip zipcode postal postcode postalcode plz postleitzahl productcode itemcode storecode
    countrycode productno itemno articleno sku skus ean upc gtin barcode fips naics sic isco icd
    cusip areacode vorwahl blz geoid code codes 邮编 邮政编码 区号 条形码 代码 编码
""")
"""Of columns whose digits are a name however many there are."""

SOMEBODY_WORDS = _words("""
    user customer client member visitor player driver doctor physician nurse patient student teacher
    employee person subject respondent voter author speaker reviewer rater annotator nutzer benutzer
    kunde kundin mitglied spieler fahrer arzt patientin schüler lehrer mitarbeiter autor
    用户 客户 会员 顾客 患者 病人 医生 学生 教师 员工 作者 玩家 司机
""")
"""Of columns, at the end of their names, whose whole numbers are people."""

THING_WORDS = SOMEBODY_WORDS | _words("""
    product item article artikel produkt part department dept abteilung channel country state county
    city district province occupation industry race ethnicity religion marital sector route platform
    browser os device sensor protocol station ward neighborhood neighbourhood borough aisle
    warehouse supplier vendor seller team machine carrier airline airport port method family genre
    language hospital school 产品 商品 部门 国家 省份 城市 渠道 职业 区 区县 城区
    行政区 县 市 省 州 街道 学校 医院 班级 科室 机器 设备 仓库 供应商
""")
"""Of columns, at the end of their names, whose whole numbers are names of things."""

NUMBERED_WORDS = THING_WORDS | _words("""
    account card case contract employee file flight house invoice job license lot member order
    policy room serial ticket vehicle
""")
"""Of what has a number that names it."""

NUMBER_ENDS = ("nummer", "nr", "kennung", "编号", "编码", "代码", "号码", "货号")
"""Of words that German and Chinese put together with what is numbered: Artikelnummer, 产品编号."""

NUMBER_WORDS = _words("number num no nr nummer")
"""At the end of a name, behind a thing: what names it. In front: how many there are of it."""

COUNT_WORDS = NUMBER_WORDS | _words("n count anzahl total sum avg average mean max min median std")
"""At the beginning of a name that has more words: an amount."""

AMOUNT_WORDS = _words("""
    age amount balance budget bytes charges cost costs count counts days debt depth distance
    duration earnings elevation altitude fare fee gdp gross height hours income length likes limit
    loan mileage miles km minutes mrp msrp pay points population power premium pressure price prices
    profit qty quantity rating revenue rooms rpm salary sales score seconds size speed sqft stock
    sum tax torque total turnover units views volume votes wage wages weight width year years
    preis anzahl menge betrag summe gehalt umsatz einwohner fläche größe gewicht länge alter jahr
    价格 数量 金额 总额 收入 工资 人口 面积 年龄 身高 体重 销量
""")
"""Of columns, at the end of their names, whose numbers are amounts whatever they are of."""

NAME_WORDS = _words("""
    name names fullname firstname lastname surname vorname nachname 姓名 名字 名称
""")
"""Of columns that say how somebody or something is called."""

MASK_WORDS = _words("""
    mask masks maske segmentation seg annotation annotations gt groundtruth label labels target
    掩码 掩膜 分割 标注 标签
""")
"""Of columns of pictures that are masks, beside one of other pictures."""

CAPTION_WORDS = _words("""
    caption captions comment transcript transcription 描述 字幕 转写
""")
"""Of columns of sentences that say what is in a file."""

DATE_WORDS = _words("date datum day time timestamp 日期 时间")
"""Of columns whose eight digits are a day."""

DURATION_WORDS = _words("""
    duration elapsed laptime runtime finish pace dauer laufzeit zeitdauer durée duración durata
    时长 用时 耗时 历时
""")
"""Of columns whose ``1:23:45`` say how long, not when."""

PERIOD_WORDS = DATE_WORDS | _words("month period yyyymm yearmonth monat zeitraum 月份 年月")
"""Of columns whose six digits are a month."""

MOMENT_WORDS = DATE_WORDS | _words("ts unix epoch utc created updated 时间戳")
"""Of columns whose large numbers count the time since 1970."""

SERIES_WORDS = MOMENT_WORDS | _words("t zeit year jahr 年 年份")
"""Of columns whose rising numbers are the time of a row."""

COUNTING_WORDS = _words("x t i n step year years month week epoch age 年 年份 月 步")
"""Of columns that may count up and mean an amount."""

TARGETS = tuple(
    frozenset(whole(name) for name in names.split())
    for names in (
        """
        target label class y outcome output response labels classes target_value ziel zielwert
        klasse 标签 类别 目标 分类 结果 目标值
        """,
        """
        species survived diagnosis dx finding_labels churn churned default price saleprice
        sale_price medv quality result sentiment is_spam attrition exited is_fraud loan_status
        heart_disease median_house_value charges fare_amount sales mpg close adj_close stars
        rating preis kaufpreis verkaufspreis miete umsatz gekündigt gekuendigt kündigung
        kuendigung abgewandert
        价格 房价 是否流失 流失 销量 销售额 收盘价 评分
        """,
    )
)
"""Whole names of columns that are predicted, by :func:`whole`: the first ones before the others."""
