"""Text of what tells, in the exported training code, that the data are not those of its run."""

from string import Template

NEEDED = Template("""
    if given.data is None and (given.$unit or given.output):
        parser.error("Say with --data PATH where the data are: " $said ".")""")

READ_ROWS = Template('''
    def read_rows(self, table):
        """Return the rows of the table by their numbers, the head being the first."""
        path = self.path if self.path.is_file() else self.path / table["name"]
        if not path.is_file():
            raise ValueError(f"There is no {path}. Say with --data where it is: " $said ".")
        wanted = {sample["row"] for sample in self.samples}
        try:
            found = self.rows_of(path, table, wanted)
        except (UnicodeError, $csv.Error) as error:
            raise ValueError(
                f"{path} cannot be read as the table of the run, a text in {table['encoding']} "
                f"({error}). Say with --data where that is: " $said "."
            ) from error
        missing = sorted(wanted - found.keys())
        if missing:
            raise ValueError(
                f"{path} lacks {len(missing)} of the rows that are read, the first is row "
                f"{missing[0]}: the table of the run was longer. Say with --data where that is."
            )
        return found

    @staticmethod
    def rows_of(path, table, wanted):
        """Return the wanted rows of a table by their numbers."""
        with open(path, encoding=table["encoding"], newline="") as stream:
            rows = $csv.DictReader(stream, delimiter=table["delimiter"])
            absent = [name for name in table["columns"] if name not in (rows.fieldnames or ())]
            if absent:
                raise ValueError(
                    f"{path} has no column {', '.join(absent)}. The script reads the table of its "
                    f"run: the same columns, separated by {table['delimiter']!r}."
                )
            return {number: row for number, row in enumerate(rows, start=2) if number in wanted}
''')

CHECKED = """
        self.check_files()"""
CHECK_FILES = Template('''
    def check_files(self):
        """Raise a ValueError where files of the samples are not in the data."""
        given = [value for sample in self.samples for value in sample.get("raw", {}).values()]
        named = [each for each in given if isinstance(each, dict)]
        names = [each[kind] for each in named for kind in ("file", "text") if kind in each]
        missing = [name for name in names if not (self.folder / name).is_file()]
        if not missing:
            return
        told = f"{self.folder} has no {', '.join(missing[:3])}"
        if not self.path.exists():
            told = f"There is no {self.path}"
        elif len(missing) > 3:
            told += f", nor {len(missing) - 3} others of the {len(names)} files that are read"
        near = [self.folder.parent]
        if self.folder.is_dir():
            near += [each for each in self.folder.iterdir() if each.is_dir()]
        better = [str(each) for each in near if (each / missing[0]).is_file()]
        raise ValueError(
            f"{told}. " + (
                f"They are in another folder: --data {better[0]}"
                if better
                else "Say with --data where they are: " $said ". If they are gone for good, train "
                "without them and export that run."
            )
        )
''')
