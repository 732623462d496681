"""Names of columns that say what their values are, in English, German and Chinese."""

import re

_WORD = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+|[\u4e00-\u9fff]+")


_BETWEEN = re.compile(r"[\s_.-]+")


def words_in(name: str) -> frozenset[str]:
    """Return the words of a name in small letters, and the whole of it."""
    words = (word.lower() for word in _WORD.findall(name))
    return frozenset(words) | {name.strip().lower(), whole(name)}


def whole(name: str) -> str:
    """Return a name in small letters without what stands between its words."""
    return _BETWEEN.sub("", name.lower())


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


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

MOMENT_WORDS = DATE_WORDS | _words("ts unix epoch utc created updated 时间戳")
"""Of columns whose large numbers count the time since 1970."""

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
        species survived diagnosis churn churned default price saleprice sale_price medv quality
        result sentiment is_spam attrition exited is_fraud loan_status heart_disease
        median_house_value charges fare_amount sales mpg close adj_close stars rating preis
        kaufpreis verkaufspreis miete umsatz 价格 房价 是否流失 销量 销售额 收盘价 评分
        """,
    )
)
"""Whole names of columns that are predicted, by :func:`whole`: the first ones before the others."""
