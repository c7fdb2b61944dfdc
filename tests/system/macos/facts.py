"""Prints as JSON what a Mach-O file asks of the system that loads it."""

import json
import sys

import lief

binary = lief.parse(sys.argv[1])
own = [command.name for command in binary.commands if command.command == lief.MachO.LoadCommand.TYPE.ID_DYLIB]
print(
    json.dumps(
        {
            "processor": binary.header.cpu_type.name,
            "libraries": [library.name for library in binary.libraries if library.name not in own],
            "commands": [command.command.name for command in binary.commands],
            "oldest": list(binary.build_version.minos),
            "imported": [symbol.name for symbol in binary.imported_symbols],
            "exported": [symbol.name for symbol in binary.exported_symbols],
            "isSigned": binary.has_code_signature,
        }
    )
)
