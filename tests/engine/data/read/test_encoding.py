"""Encodings of short texts, which say nothing of them."""

from pathlib import Path

import pytest

from engine.data.read.encoding import detect_encoding

_FEW = "stadt,n\nKöln,3\nMünchen,4\nZürich,5\n"


def read(text: str, encoding: str) -> str:
    sample = text.encode(encoding)
    return sample.decode(detect_encoding(sample, Path("t.csv")))


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("cp1251", "имя,город,цена\nИван,Москва,3\nАнна,Казань,4\n"),
        ("koi8_r", "имя,город,цена\nИван,Москва,3\nАнна,Казань,4\n"),
        ("cp866", "имя,город,цена\nИван,Москва,3\nАнна,Казань,4\n"),
        ("iso8859_5", "имя,город,цена\nИван,Москва,3\nАнна,Казань,4\n"),
        ("cp1251", "ім'я,місто\nОлег,Київ\nЇжак,Чернігів\n"),
        ("cp1251", "град,цена\nСофия,3\nПловдив,4\n"),
        ("cp1251", "град,цена\nНиш,3\nЉубљана,4\nЏеп,5\n"),
        ("cp1253", "πόλη,τιμή\nΑθήνα,3\nΠάτρα,4\n"),
        ("cp1254", "şehir,fiyat\nİstanbul,3\nİzmir,4\nMuğla,3\n"),
        ("cp1255", "עיר,מחיר\nירושלים,3\nחיפה,4\n"),
        ("cp1256", "المدينة,السعر\nالقاهرة,3\nالرياض,4\n"),
        ("tis_620", "เมือง,ราคา\nกรุงเทพ,3\nเชียงใหม่,4\n"),
        ("cp1257", "miestas,kaina\nŠiauliai,3\nKlaipėda,4\nPanevėžys,5\nPasvalys,6\n"),
        ("cp1257", "pilsēta,cena\nRīga,3\nLiepāja,4\nJūrmala,5\n"),
        ("cp1250", "miasto,cena\nŁódź,3\nKraków,1\nGdańsk,3\n"),
        ("iso8859_2", "miasto,cena\nŁódź,3\nCzęstochowa,1\nGdańsk,3\n"),
        ("cp852", "miasto,cena\nŁódź,3\nCzęstochowa,1\nGdańsk,3\n"),
        ("cp1250", "město,cena\nPlzeň,3\nČeské Budějovice,4\nJihlava,5\n"),
        ("cp1250", "város,ár\nGyőr,3\nSzékesfehérvár,4\n"),
        ("cp1250", "grad,cijena\nŠibenik,3\nČakovec,4\nĐakovo,5\n"),
        ("cp1250", "oraş,preţ\nIaşi,3\nBraşov,4\nTimişoara,5\nBacău,6\n"),
        ("cp1252", _FEW),
        ("cp850", _FEW),
        ("cp437", _FEW),
        ("mac_roman", _FEW),
        ("cp1252", "ville,prix\nOrléans,3\nBesançon,4\nÀ côté,5\n"),
        ("cp1252", "ciudad,año\nMálaga,3\nLogroño,4\n"),
        ("cp1252", "cidade,preço\nSão Paulo,3\nMaceió,2\n"),
        ("cp1252", "città,prezzo\nForlì,3\nCefalù,2\n"),
        ("cp1252", "by,pris\nMalmö,3\nGöteborg,3\nÅrhus,2\nTromsø,4\n"),
        ("cp1252", "kaupunki,x\nJyväskylä,3\nHämeenlinna,4\n"),
        ("cp1252", "nafn,x\nGuðrún,3\nÞór,4\n"),
        ("cp1252", "comment,y\n“It’s fine” – 20 °C,1\nOK…,0\n"),
        ("cp1252", "price,y\n€ 12,1\n£ 3,0\n"),
        ("big5", "名,數,結\n臺灣1,0.5,0\n臺灣2,0.5,1\n"),
        ("gb18030", "x轴,y轴\n1,2\n"),
        ("cp932", "商品,価格\nりんご,3\nバナナ,2\n"),
        ("cp949", "이름,도시\n김철수,서울\n이영희,부산\n"),
    ],
)
def test_that_a_few_words_say_their_encoding(encoding, text):
    assert read(text, encoding) == text


def test_that_rows_that_come_again_say_no_more_than_one_of_them():
    text = "名,數,結\n" + "臺灣1,0.5,0\n" * 400
    assert read(text, "big5") == text


def test_that_no_encoding_is_guessed_in_which_a_byte_is_no_letter():
    sample = "ville,x\nOrléans,3\n".encode("cp1252") + b"\x81\x8d\x9d,4\n"
    name = detect_encoding(sample, Path("t.csv"))
    assert "Orl" in sample.decode(name, "strict")
