"""Topics of the synthetic sentences: patterns of sentences, and words for their gaps."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Topic:
    """Patterns with gaps such as ``{place}``, which words of its own or of all topics fill."""

    name: str
    patterns: tuple[str, ...]
    words: Mapping[str, str]  # for a gap, separated by commas


SHARED: Mapping[str, str] = {
    "who": "my brother,my sister,our neighbour,the teacher,an old friend,my uncle,a student,"
    "the doctor,her father,the children,everybody,nobody",
    "when": "today,tonight,yesterday,this morning,last night,on Monday,on Friday,at noon,"
    "in spring,in the evening,every week,after work",
    "place": "the river,the harbour,the village,the old town,the hills,the coast,the market,"
    "the park,the valley,the station",
    "felt": "glad,surprised,tired,happy,angry,quiet,proud,late",
}
"""Words that say nothing about the topic."""

TOPICS: tuple[Topic, ...] = (
    Topic(
        name="weather",
        patterns=(
            "{when} {fall} fell over {place}",
            "the {sky} above {place} turned {shade} {when}",
            "{who} got {wet} because of the {storm}",
            "a {storm} is coming to {place}, so take {gear} with you",
            "it rained for {number} minutes and was {shade} {when}",
            "{who} looked at the {sky} and was {felt}",
        ),
        words={
            "fall": "heavy rain,soft snow,hail,a light drizzle,freezing rain,thick fog",
            "sky": "sky,clouds,horizon,rainbow,mist",
            "shade": "grey,windy,cold,bright,humid,stormy,foggy,clear",
            "wet": "wet,soaked,cold,sunburnt",
            "storm": "storm,thunder,shower,blizzard,heat wave,gale",
            "gear": "an umbrella,a raincoat,warm gloves,a scarf",
        },
    ),
    Topic(
        name="food",
        patterns=(
            "{who} cooked {dish} with {spice} {when}",
            "the {dish} tasted {taste}, and {who} was {felt}",
            "add {number} grams of {spice} and {do} the {dish}",
            "we ate {dish} near {place} {when}",
            "{who} forgot to {do} the {dish}",
            "there is no {spice} left in the kitchen for the {dish}",
        ),
        words={
            "dish": "soup,bread,noodles,rice,salad,pancakes,cake,dumplings,beans,stew",
            "spice": "salt,butter,garlic,pepper,sugar,cheese,onions,olive oil",
            "taste": "sweet,sour,bitter,delicious,salty,burnt,fresh",
            "do": "boil,fry,bake,stir,serve,taste",
        },
    ),
    Topic(
        name="sport",
        patterns=(
            "{who} {did} the {game} {when}",
            "the {team} {did} by {number} points",
            "the {coach} was {felt} after the {game}",
            "{who} trained for the {game} near {place}",
            "a {coach} from {place} {did} the {cup}",
            "after {number} minutes the {team} {did} the {cup}",
        ),
        words={
            "did": "won,lost,led,played,joined",
            "game": "match,race,final,marathon,tournament,game",
            "team": "team,players,runners,swimmers,club",
            "coach": "coach,goalkeeper,champion,referee,captain",
            "cup": "cup,medal,trophy,record,league",
        },
    ),
    Topic(
        name="travel",
        patterns=(
            "the {ride} to {place} leaves from {gate} {number}",
            "{who} missed the {ride} {when} and was {felt}",
            "we booked a {room} near {place}",
            "{who} packed a {bag} for the journey to {place}",
            "the {ride} was {number} minutes late {when}",
            "show your {paper} before you enter the {ride}",
        ),
        words={
            "ride": "train,plane,ferry,bus,flight,tram",
            "gate": "platform,gate,terminal,pier",
            "room": "hotel,hostel,tent,cabin,room with a view",
            "bag": "suitcase,backpack,map,guidebook",
            "paper": "passport,ticket,visa,boarding pass",
        },
    ),
    Topic(
        name="music",
        patterns=(
            "{who} played {tune} on the {tool} {when}",
            "the {band} sang {tune} near {place}",
            "{who} learned the {tool} and was {felt}",
            "the {band} needs {number} days to practise {tune}",
            "turn the {tool} down, {who} said {when}",
            "the {tune} was too {loud} for the {band}",
        ),
        words={
            "tune": "song,melody,waltz,sonata,lullaby,tune",
            "tool": "piano,violin,guitar,drums,flute,trumpet,radio",
            "band": "choir,orchestra,band,singer,quartet",
            "loud": "loud,slow,soft,fast,difficult",
        },
    ),
    Topic(
        name="money",
        patterns=(
            "{who} paid {number} euros for the {thing}",
            "the {bank} raised the {price} {when}",
            "the {price} of the {thing} fell by {number} percent",
            "{who} wants to {deal} a {thing} near {place}",
            "{when} the {bank} lost {number} million",
            "{who} was {felt} about the {price}",
        ),
        words={
            "thing": "house,car,share,loan,phone,flat",
            "bank": "bank,company,shop,stock market,insurance",
            "price": "price,rent,tax,interest,salary,debt,budget",
            "deal": "sell,buy,rent,insure,finance",
        },
    ),
)
