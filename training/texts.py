"""The sentences that the teachers speak, from Debian's packages wordnet-base and fortunes and from templates.

`sentences()` is the same list in every run: 200 of its everyday sentences are held back for the evaluation, and no
other sentence shares all its words with one of them.
"""
import collections
import glob
import random
import re

WORDNET = "/usr/share/wordnet/data.*"
FORTUNES = "/usr/share/games/fortunes/*"
# Collections of jokes at somebody's cost, of drawings, and of code.
LEFT_OUT = {"art", "ascii-art", "definitions", "drugs", "ethnic", "goedel", "magic", "men-women", "perl", "politics",
            "sports", "translate-me", "zippy", "riddles", "songs-poems"}
RUDE = set("""fuck shit sex sexual damn hell ass bitch rape raped drunk kill killed killing murder naked nazi whore bastard
crap cock tits jesus christ dead die died drug drugs suicide negro nigger jew jews slave slaves corpse penis breast breasts
intercourse prostitute prostitutes heroin cocaine bomb terrorist terrorists gun guns slut lynch""".split())
MAX_CHARACTERS = 120
MIN_CHARACTERS = 8


def clean(text):
    text = text.replace("’", "'").replace("`", "'").replace("--", ", ").replace("&", " and ")
    return re.sub(r"\s+", " ", text).strip(" '-*_,;:")


def speakable(text):
    """Whether a teacher reads each character as written: words, with the marks that the model knows."""
    return (re.fullmatch(r"[A-Za-z][A-Za-z,.?!;:' -]+", text) is not None
            and MIN_CHARACTERS <= len(text) <= MAX_CHARACTERS
            and not re.search(r"[,.?!;:'-]{2}|\b[A-Z]{2,}\b|\b[a-z]\.|\w'(?!(s|t|ll|re|ve|d|m)\b)|(^|\s)['-]|\b[b-hj-zB-HJ-Z]\b", text)
            and not any(word in RUDE for word in re.findall(r"[a-z]+", text.lower())))


def examples():
    """WordNet's examples of use: short sentences of all kinds of words."""
    for path in sorted(glob.glob(WORDNET)):
        with open(path, encoding="utf8") as file:
            for line in file:
                if line.startswith(" "):
                    continue
                for quoted in re.findall(r'"([^"]+)"', line.split("|", 1)[1]):
                    yield clean(quoted)


def fortunes():
    """Sentences of the collections of sayings, whole where they are short enough."""
    for path in sorted(glob.glob(FORTUNES)):
        name = path.split("/")[-1]
        if "." in name or name in LEFT_OUT:
            continue
        with open(path, encoding="utf8", errors="ignore") as file:
            text = re.sub(r"\n\s+--.*", "", file.read())
        for saying in re.split(r"\n%\n?", text):
            for sentence in re.split(r"(?<=[.!?])\s+|[\"()\[\]]", re.sub(r"\s+", " ", saying)):
                yield clean(sentence)


ONES = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split()
TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
ORDINALS = {"one": "first", "two": "second", "three": "third", "five": "fifth", "eight": "eighth", "nine": "ninth",
            "twelve": "twelfth", "twenty": "twentieth", "thirty": "thirtieth"}
MONTHS = "January February March April May June July August September October November December".split()
DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
NAMES = """John Mary Peter Susan David Anna Tom Lucy Mike Sarah James Emma Paul Jane Mark Alice George Helen Robert Kate
Henry Laura Ben Julia Sam Nancy Jack Linda Frank Rose""".split()
THINGS = """apples books tickets chairs windows letters boxes minutes pages people children birds houses cars miles bottles
cups plates students teachers photographs trees flowers eggs""".split()
PLACES = """the park|the station|the airport|the library|the school|the office|the market|the beach|the hospital|the
kitchen|the garden|the city|the village|the museum|the hotel|the river|home|work|town""".replace("\n", " ").split("|")


def number(n):
    """A whole number below a million in words, as `--normalize` writes it."""
    if n < 20:
        return ONES[n - 1] if n else "zero"
    if n < 100:
        return TENS[n // 10 - 2] + ("-" + ONES[n % 10 - 1] if n % 10 else "")
    if n < 1000:
        return ONES[n // 100 - 1] + " hundred" + (" " + number(n % 100) if n % 100 else "")
    return number(n // 1000) + " thousand" + (" " + number(n % 1000) if n % 1000 else "")


def ordinal(n):
    words = number(n)
    head, mark, last = words.rpartition("-")
    return head + mark + (ORDINALS.get(last) or last + "th")


def year(rng):
    century, rest = rng.choice([(18, rng.randint(10, 99)), (19, rng.randint(10, 99)), (20, rng.randint(10, 39))])
    return number(century) + " " + number(rest)


def templates(rng):
    """One sentence with numbers, dates, times, amounts, names or days, in words."""
    n = number(rng.choice([rng.randint(0, 20), rng.randint(20, 100), rng.randint(100, 1000), rng.randint(1000, 999999)]))
    small = number(rng.randint(2, 60))
    hour, minute = number(rng.randint(1, 12)), rng.choice(["", " fifteen", " thirty", " forty-five", " " + number(rng.randint(10, 59))])
    half = rng.choice([" a m", " p m", " in the morning", " in the evening", "", ""])
    date = rng.choice([f"{rng.choice(MONTHS)} {ordinal(rng.randint(1, 31))}", f"the {ordinal(rng.randint(1, 31))} of {rng.choice(MONTHS)}"])
    name, other, day, place, thing = (rng.choice(NAMES), rng.choice(NAMES), rng.choice(DAYS), rng.choice(PLACES), rng.choice(THINGS))
    return rng.choice([
        f"The meeting is on {date}, {year(rng)}.", f"The train leaves at {hour}{minute}{half}.",
        f"It costs {small} dollars and {number(rng.randint(2, 99))} cents.", f"There are {n} {thing} in {place}.",
        f"{name} counted {n} {thing}.", f"We need {n} more {thing}, please.", f"{name} was born on {date}, {year(rng)}.",
        f"Please call {other} at {hour}{minute}{half} on {day}.", f"The answer is {n} point {rng.choice(ONES[:9])}.",
        f"About {small} percent of the {thing} are gone.", f"My number is {', '.join(rng.choice(ONES[:9]) for _ in range(rng.randint(3, 7)))}.",
        f"On {day}, {name} and {other} went to {place}.", f"Did {name} go to {place} with {other} last {day}?",
        f"Chapter {small}.", f"In {year(rng)}, {n} people lived here.", f"{name} will arrive on {day} at {hour}{minute}{half}.",
        f"The price rose from {small} to {n} dollars.", f"Room {n} is on the {ordinal(rng.randint(1, 30))} floor.",
        f"It was {small} degrees in {place} on {date}.", f"Take the {ordinal(rng.randint(1, 99))} street, then walk {small} minutes to {place}.",
        f"{name} runs {small} kilometers every {day}.", f"Good morning, {name}. How are you today?", f"See you on {day}, {other}!",
    ])


def sentences(seed=1):
    """(training, held_back): two lists of strings, the first shuffled, the second of 200 everyday sentences."""
    rng = random.Random(seed)
    plain = [s for s in dict.fromkeys(examples()) if speakable(s)]
    sayings = [s for s in dict.fromkeys(fortunes()) if speakable(s)]
    count = collections.Counter(w for s in plain + sayings for w in set(re.findall(r"[a-z']+", s.lower())))
    plain = [s for s in plain if all(count[w] >= 2 or len(w) < 9 for w in re.findall(r"[a-z']+", s.lower()))]

    everyday = [s for s in plain if len(s.split()) >= 5 and 25 <= len(s) <= 90 and re.match(r"(The|He|She|They|We|I|It|His|Her|My|You|This|That|There|A) ", s)
                and all(count[w] >= 25 for w in re.findall(r"[a-z']+", s.lower()))]
    rng.shuffle(everyday)
    held_back = [s if s[-1] in ".?!" else s + "." for s in everyday[:200]]
    words_of = lambda s: frozenset(re.findall(r"[a-z']+", s.lower()))
    forbidden = {words_of(s) for s in held_back}

    pool = [s for s in plain if words_of(s) not in forbidden] + [s for s in sayings if words_of(s) not in forbidden]
    finished = []
    for s in pool:
        s = s[0].upper() + s[1:]
        finished.append(s if s[-1] in ".?!" else s + rng.choice("....," if rng.random() < .95 else "!"))
    finished += [templates(rng) for _ in range(7000)]
    rng.shuffle(finished)
    # Many a line is two sentences that fit in one part, so that the model knows the pause between them.
    lines, short = [], []
    for s in finished:
        if len(s) <= 70 and s[-1] in ".?!" and rng.random() < .4:
            short.append(s)
            if len(short) == 2:
                if len(" ".join(short)) <= MAX_CHARACTERS:
                    lines.append(" ".join(short))
                else:
                    lines.extend(short)
                short = []
        else:
            lines.append(s)
    lines = [s for s in dict.fromkeys(lines) if words_of(s) not in forbidden]
    rng.shuffle(lines)
    return lines, held_back


if __name__ == "__main__":
    lines, held_back = sentences()
    print(f"{len(lines)} lines, {sum(map(len, lines)) / len(lines):.0f} characters on average")
    for line in lines[:25] + held_back[:15]:
        print(line)
