"""Common letters of Chinese, Japanese and Korean: what a short text in an encoding of theirs is
told apart by. The column names of a table are too few letters for the statistics of languages.
"""

import codecs

# The characters of everyday writing, and of the names of columns and classes.
_SIMPLIFIED = (
    "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过"
    "发后作里用道行所然家种事成方多经么去法学如都同现当没动面起看定天分还进好小部其些主样理心她本"
    "前开但因只从想实日军者意无力它与长把机十民第公此已工使情明性知全三又关点正业外将两高间由问很"
    "最重并物手应战向头文体政美相见被利什二等产或新己制身果加西斯月话合回特代内信表化老给世位次度"
    "门任常先海通教儿原东声提立及比员解水名真论处走义各入几口认条平系气题活尔更别打女变四神总何电"
    "数安少报才结反受目太量再感建务做接必场件计管期市直德资命山金指克许统区保至队形社便空决治展马"
    "科司五基眼书非则听白却界达光放强即像难且权思王象完设式色路记南品住告类求据程北边死张该交规万"
    "取拉格望觉术领共确传师观清今切院让识候带导争运笔早局写视准示造包育失近周联称价低编号码姓龄城"
    "省县镇村街邮址箱款额单双销售购买卖店商客户订货库存宽厚径质材料颜红黄蓝绿黑粉紫灰橙棕图片素夹"
    "标签注释备描述状态级评星率税费收支付余温湿压风雨雪云晴阴站段线火车汽飞船票座春夏秋冬季节午晚"
    "晨秒钟米吨斤尺寸亩升病症药医疗血尿肝肾肺脑骨皮孕妇婴幼童猫狗鸟鱼虫花草树木苹香蕉梨桃瓜菜肉蛋"
    "奶茶酒饭网页链源录索引训练测试验证集预答案语句词典翻译音频异错误负极优良差未否男婚职岁份籍贯"
    "族群组班绩英史专校毕居楼层室房厅卫厨积租均值偏算辑止始终束启停账密登册浏览击转渠播赞享丝热推"
    "荐排序顺版修改创删除乡坐纬拔距离速油耗功载容器具贷违约缺脏葡萄险投诉欺诈银汇股债融润供仓流营"
    "厂械震噪谱酸碱糖盐脂肪胆固醇"
)
_TRADITIONAL = (
    "的一是不了在人有我他這個們中來上大為和國地到以說時要就出會可也你對生能而子那得於著下自之年過"
    "發後作裡用道行所然家種事成方多經麼去法學如都同現當沒動面起看定天分還進好小部其些主樣理心她本"
    "前開但因只從想實日軍者意無力它與長把機十民第公此已工使情明性知全三又關點正業外將兩高間由問很"
    "最重並物手應戰向頭文體政美相見被利什二等產或新己制身果加西斯月話合回特代內信表化老給世位次度"
    "門任常先海通教兒原東聲提立及比員解水名真論處走義各入幾口認條平系氣題活爾更別打女變四神總何電"
    "數安少報才結反受目太量再感建務做接必場件計管期市直德資命山金指克許統區保至隊形社便空決治展馬"
    "科司五基眼書非則聽白卻界達光放強即像難且權思王象完設式色路記南品住告類求據程北邊死張該交規萬"
    "取拉格望覺術領共確傳師觀清今切院讓識候帶導爭運筆早局寫視準示造包育失近周聯稱價低編號碼姓齡城"
    "省縣鎮村街郵址箱款額單雙銷售購買賣店商客戶訂貨庫存寬厚徑質材料顏紅黃藍綠黑粉紫灰橙棕圖片素夾"
    "標籤註釋備描述狀態級評星率稅費收支付餘溫濕壓風雨雪雲晴陰站段線火車汽飛船票座春夏秋冬季節午晚"
    "晨秒鐘米噸尺寸升病症藥醫療血肝腎肺腦骨皮貓狗鳥魚花草樹木蘋香蕉梨桃菜肉蛋奶茶酒飯網頁連錄索引"
    "訓練測試驗證集預答案語句詞翻譯音頻檔異錯誤負極優良差未否男婚職歲份族群組班績英史校畢居樓層室"
    "房廳積租均值始終束啟停帳密登冊瀏覽擊轉播讚享熱推薦排序版修改創刪除坐緯距離速油功容器具貸違約"
    "缺臟葡萄險投訴欺詐銀匯股債融潤供倉流營廠械震噪譜酸鹼糖鹽脂肪膽固醇"
)
_JAPANESE = (
    "日付長名前年齢価格都市人口面積番号重色月火水木金土曜商品売上購入数量種類高低大小新旧性別男女"
    "住所電話会社店舗客顧注文書評点合計平均最値時間分秒開始終了更作成者学校生徒教室科目国語英理体"
    "音楽図画像写真動章単意味説明備考状態結果正解不良可能対象項列行表資料情報内容部地域県区町村駅"
    "東西南北京天気温度湿降雨風速晴曇雪車台両道路線運転病院医薬患身血圧犬猫鳥魚花草赤青黄白黒緑茶"
    "紫在庫税込円額支払方法送無有一二三四五六七八九十百千万本中外出発着来見回私彼何今後先週毎午早"
    "家族父母子供友達仕事働員職業収式的貸満足率保険銀信用株利益費給工場機械力振騒光酸糖塩脂質期限"
    "産"
)
_KOREAN = (
    "이다에의는로하을가고지서한은기으년대사시를리도인스일자어있해그나수정아전들라니보부제장여주것"
    "구상만과었동습안조오경원영세무신면모소관성비위유역공국학화명선연마계분당점석남적우내중실개진"
    "양물문체용출발방단회미려통집산차되된될할함합히게거저너노누두더데드디또르러런레른름력령례료루"
    "류량날짜길간격별번호색월목금토요품판매벨파종생업직급등평균총액태결객키몸혈압온강풍눈맑흐림군"
    "읍층건예측답질변작설코값크최높폭께깊검빨초록흰갈새꽃채육족율험행익음빛염"
)
_KANA = frozenset(map(chr, range(0x3041, 0x30FF)))
_COMMON = {
    "gb18030": frozenset(_SIMPLIFIED),
    "cp950": frozenset(_TRADITIONAL),
    "cp932": _KANA.union(_JAPANESE),
    "euc_jp": _KANA.union(_JAPANESE),
    "cp949": frozenset(_KOREAN),
}


def common_shares(sample: bytes) -> list[tuple[float, str]]:
    """Return, for each encoding of East Asia that bytes are text in, the share of common letters
    among those that are not ASCII, the highest first. The bytes may end within a letter.
    """
    found: list[tuple[float, str]] = []
    for encoding, common in _COMMON.items():
        try:
            text = codecs.getincrementaldecoder(encoding)("strict").decode(sample, final=False)
        except UnicodeDecodeError:
            continue
        letters = [letter for letter in text if not letter.isascii()]
        if letters:
            known = sum(letter in common for letter in letters)
            found.append((known / len(letters), encoding))
    return sorted(found, reverse=True)
