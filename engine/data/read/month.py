"""Names of months in dates: English, German, French, Spanish, Italian, Portuguese, Russian, Dutch,
Swedish and Polish.
"""

_NAMES = (
    (
        "january jan januar jänner jän janvier janv enero ene gennaio gen janeiro январь "
        "января янв januari styczeń stycznia sty"
    ),
    (
        "february feb februar février févr fév febrero febbraio fevereiro fev февраль февраля "
        "фев февр februari luty lutego lut"
    ),
    "march mar märz mrz mär maerz mars marzo março marco март марта мар maart mrt marzec marca",
    "april apr avril avr abril abr aprile апрель апреля апр kwiecień kwietnia kwi",
    "may mai mayo maggio mag maio май мая mei maj maja",
    "june jun juni juin junio giugno giu junho июнь июня июн czerwiec czerwca cze",
    "july jul juli juillet juil julio luglio lug julho июль июля июл lipiec lipca lip",
    "august aug août aout agosto ago август августа авг augustus augusti sierpień sierpnia sie",
    (
        "september sep sept septembre septiembre settembre setembro сентябрь сентября сен "
        "сент wrzesień września wrz"
    ),
    (
        "october oct oktober okt octobre octubre ottobre ott outubro out октябрь октября окт "
        "październik października paź"
    ),
    "november nov novembre noviembre novembro ноябрь ноября ноя нояб listopad listopada lis",
    (
        "december dec dezember dez décembre déc diciembre dic dicembre dezembro декабрь "
        "декабря дек grudzień grudnia gru"
    ),
)

MONTHS = {word: number for number, names in enumerate(_NAMES, start=1) for word in names.split()}
"""Numbers of months (from 1) by their names and short names in small letters."""

_WEEKDAYS = """
    monday mon tuesday tue tues wednesday wed thursday thu thur thurs friday fri saturday sat sunday
    sun montag mo dienstag di mittwoch mi donnerstag do freitag fr samstag sonnabend sa sonntag so
    lundi lun mardi mar mercredi mer jeudi jeu vendredi ven samedi sam dimanche dim lunes martes
    miércoles mié jueves jue viernes vie sábado sáb domingo dom понедельник пн вторник вт среда ср
    четверг чт пятница пт суббота сб воскресенье вс
"""
WEEKDAYS = frozenset(_WEEKDAYS.split())
"""Names and short names of weekdays, which say nothing beside a date."""
