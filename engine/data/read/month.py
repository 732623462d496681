"""Names of months in dates: English, German, French, Spanish, Italian and Portuguese."""

_NAMES = (
    "january jan januar jänner jän janvier janv enero ene gennaio gen janeiro",
    "february feb februar février févr fév febrero febbraio fevereiro fev",
    "march mar märz mrz mär maerz mars marzo março marco",
    "april apr avril avr abril abr aprile",
    "may mai mayo maggio mag maio",
    "june jun juni juin junio giugno giu junho",
    "july jul juli juillet juil julio luglio lug julho",
    "august aug août aout agosto ago",
    "september sep sept septembre septiembre settembre setembro",
    "october oct oktober okt octobre octubre ottobre ott outubro out",
    "november nov novembre noviembre novembro",
    "december dec dezember dez décembre déc diciembre dic dicembre dezembro",
)

MONTHS = {word: number for number, names in enumerate(_NAMES, start=1) for word in names.split()}
"""Numbers of months (from 1) by their names and short names in small letters."""

_WEEKDAYS = """
    monday mon tuesday tue tues wednesday wed thursday thu thur thurs friday fri saturday sat sunday
    sun montag mo dienstag di mittwoch mi donnerstag do freitag fr samstag sonnabend sa sonntag so
    lundi lun mardi mar mercredi mer jeudi jeu vendredi ven samedi sam dimanche dim lunes martes
    miércoles mié jueves jue viernes vie sábado sáb domingo dom
"""
WEEKDAYS = frozenset(_WEEKDAYS.split())
"""Names and short names of weekdays, which say nothing beside a date."""
