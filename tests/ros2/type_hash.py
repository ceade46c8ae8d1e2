"""Type hashes of ROS 2 (RIHS01, REP 2016) computed from src/ros2/ros_types.idl.

A hash is SHA-256 over a description of the type and of all types inside it as JSON. Where a hash computed here equals
the one that ROS 2 publishes, the names, types and order of the members in the IDL file are those of ROS 2.
"""

import hashlib
import json
import re

# FieldType of type_description_interfaces
NESTED, ARRAY, SEQUENCE = 1, 48, 144
TYPE_IDS = {"uint8": 3, "uint16": 5, "int32": 6, "uint32": 7, "int64": 8, "uint64": 9, "float": 10, "double": 11,
            "boolean": 15, "octet": 16, "string": 17}


def ros_name(scoped):
    """builtin_interfaces::msg::dds_::Time_ -> builtin_interfaces/msg/Time"""
    parts = scoped.split("::")
    return "/".join([*parts[:-2], parts[-1][:-1]])


def field(kind, name, size, scope):
    sequence = re.fullmatch(r"sequence<(.+)>", kind)
    kind = sequence.group(1) if sequence else kind
    nested = "" if kind in TYPE_IDS else ros_name(kind if "::" in kind else f"{scope}::{kind}")
    type_id = TYPE_IDS.get(kind, NESTED) + (SEQUENCE if sequence else ARRAY if size else 0)
    return {"name": name,
            "type": {"type_id": type_id, "capacity": int(size or 0), "string_capacity": 0, "nested_type_name": nested}}


def read_idl(path):
    """{ROS name: [field, ...]}"""
    with open(path, encoding="utf-8") as file:
        text = re.sub(r"//.*", "", file.read())
    types, scope = {}, []
    for token in re.finditer(r"module\s+(\w+)\s*\{|struct\s+(\w+)\s*\{([^}]*)\}\s*;|\}\s*;", text):
        module, struct, body = token.groups()
        if module:
            scope.append(module)
        elif struct:
            where = "::".join(scope)
            members = re.findall(r"([\w:<>]+)\s+(\w+)(?:\[(\d+)\])?\s*;", body)
            types[ros_name(f"{where}::{struct}")] = [field(kind, name, size, where) for kind, name, size in members
                                                     if not name.startswith("rmw_")]  # not part of the type
        else:
            scope.pop()
    return types


def referenced(types, name):
    found = set()
    for member in types[name]:
        nested = member["type"]["nested_type_name"]
        if nested:
            found |= {nested} | referenced(types, nested)
    return found


def type_hash(types, name):
    def describe(each):
        return {"type_name": each, "fields": types[each]}

    description = {"type_description": describe(name),
                   "referenced_type_descriptions": [describe(each) for each in sorted(referenced(types, name))]}
    text = json.dumps(description, separators=(", ", ": "), ensure_ascii=True)
    return "RIHS01_" + hashlib.sha256(text.encode()).hexdigest()
