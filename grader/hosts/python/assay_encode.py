"""Writes any value as typed JSON text (specs/observation.ts).

It runs beside the product, which may own every object it is given and may have patched builtins. So every builtin is
bound here before the product loads; kinds are told by `type()`, which no object can answer for itself; containers are
read by the methods of their builtin class, never by the object's own; properties are read from the instance's
dictionary and slots, and no property is called. What an exception says of itself (`str`) is believed as text only.
"""

import builtins
import base64
import collections
import enum
import json
import math
import types

_type, _len, _repr, _sorted, _range = type, len, repr, sorted, range
_enumerate, _list = enumerate, list
_BaseException = BaseException
_EXCEPTIONS = {
    name: value
    for name, value in vars(builtins).items()
    if isinstance(value, type) and issubclass(value, BaseException) and value.__name__ == name
}
_object_getattribute = object.__getattribute__
_type_getattribute = type.__getattribute__
# What a metaclass could answer for itself when a class is asked in the usual way.
_dict_of, _flags_of = type.__dict__["__dict__"].__get__, type.__dict__["__flags__"].__get__
_quote = json.encoder.encode_basestring_ascii
_b64 = base64.b64encode
_isfinite, _isnan, _is_whole = math.isfinite, math.isnan, float.is_integer
_str_add, _bytes_new, _int_repr, _float_repr = str.__add__, bytes, int.__repr__, float.__repr__
_dict_items, _dict_get = dict.items, dict.get
_list_iter, _tuple_iter, _set_iter, _frozenset_iter = list.__iter__, tuple.__iter__, set.__iter__, frozenset.__iter__
_function_types = (
    types.FunctionType, types.BuiltinFunctionType, types.MethodType, types.MethodWrapperType,
    types.WrapperDescriptorType, types.MethodDescriptorType, types.ClassMethodDescriptorType,
)
_member_descriptor, _getset_descriptor = types.MemberDescriptorType, types.GetSetDescriptorType
_mro_of = type.__dict__["__mro__"].__get__
_str, _bytes, _bytearray, _memoryview = str, bytes, bytearray, memoryview
_int, _float, _bool, _dict, _tuple, _set, _frozenset, _complex = int, float, bool, dict, tuple, set, frozenset, complex
_object = object


def _subclasses(cls):
    for one in type.__subclasses__(cls):
        yield one
        yield from _subclasses(one)


_CONTAINERS = (list, dict, tuple, set, frozenset)
# Containers and their subclasses that were there before the product: OrderedDict, Counter, os.stat_result, …. By id, since
# a metaclass can say what its classes are equal to.
_known_containers = [*_CONTAINERS, *[one for cls in _CONTAINERS for one in _subclasses(cls)]]
_KNOWN_IDS = frozenset(map(id, _known_containers))
# What is said of a container's making, its copies and its documentation, and nothing of how it is used.
_APART = frozenset(
    ("__init__", "__new__", "__doc__", "__init_subclass__", "__class_getitem__", "__sizeof__", "__dir__")
    + ("__reduce__", "__reduce_ex__", "__getnewargs__", "__getstate__", "__subclasshook__")
)
_USED_BY = {cls: frozenset({*vars(cls), *vars(object)} - _APART) for cls in _CONTAINERS}
# Each named tuple has functions of its own, made of the same code.
_NAMED = collections.namedtuple("_NAMED", "field")
_NAMED_REPR, _field_descriptor, _id = _NAMED.__repr__.__code__, type(_NAMED.field), id
_FunctionType, _code_of = types.FunctionType, types.FunctionType.__dict__["__code__"].__get__

MAX_DEPTH = 60
MAX_VALUES = 100_000
MAX_CHARS = 1_000_000
SAFE_INTEGER = 2**53
_HEAP_TYPE = 1 << 9
_Enum = enum.Enum


class _Spent:
    __slots__ = ("values", "chars")

    def __init__(self):
        self.values = 0
        self.chars = 0


def encode(value):
    """JSON text of the encoded value; never raises."""
    try:
        return _write(value, (), _Spent())
    except _BaseException:
        return _truncated("hostile")


def _tagged(tag, rest=""):
    return '{"$t":"' + tag + '"' + ("," + rest if rest else "") + "}"


def _truncated(why):
    return _tagged("truncated", '"why":"' + why + '"')


def _text(value, spent):
    value = _str_add("", value)
    spent.chars += _len(value)
    if spent.chars > MAX_CHARS:
        return _truncated("size")
    for char in value:
        if "\ud800" <= char <= "\udfff":
            units = value.encode("utf-16-be", "surrogatepass")
            parts = [_bytes_new.hex(units[i : i + 2]).lstrip("0") or "0" for i in _range(0, _len(units), 2)]
            return _tagged("string", '"utf16":"' + " ".join(parts) + '"')
    return _quote(value)


def _has_surrogate(value):
    for char in value:
        if "\ud800" <= char <= "\udfff":
            return True
    return False


def _write(value, above, spent):
    """`above`: the objects on the way to here with their keys, outermost first."""
    spent.values += 1
    if spent.values > MAX_VALUES:
        return _truncated("values")
    kind = _type(value)
    if value is None:
        return "null"
    if kind is _bool:
        return "true" if value else "false"
    mro = _mro_of(kind)
    if _str in mro:
        return _text(value, spent) if kind is _str else _instance(value, kind, mro, above, spent, _text(value, spent))
    if _int in mro:
        return _integer(value) if kind is _int else _instance(value, kind, mro, above, spent, _integer(value))
    if _float in mro:
        return _float_of(value) if kind is _float else _instance(value, kind, mro, above, spent, _number(value))
    if kind is _complex:
        props = '{"real":' + _number(value.real) + ',"imag":' + _number(value.imag) + "}"
        return _tagged("instance", '"class":"complex","props":' + props)
    if kind in _function_types or _type in mro:
        return _tagged("function", '"name":' + _text(_name(value), spent))
    return _compound(value, kind, mro, above, spent)


def _name(value):
    try:
        if _type in _mro_of(_type(value)):
            name = _type_getattribute(value, "__name__")
        else:
            name = _object_getattribute(value, "__name__")
        return name if _type(name) is _str else ""
    except _BaseException:
        return ""


def _integer(value):
    if -SAFE_INTEGER <= value <= SAFE_INTEGER:
        return _int_repr(value)
    if value.bit_length() > 13_000:
        return _truncated("size")
    return _tagged("bigint", '"value":"' + _int_repr(value) + '"')


def _number(value):
    text = _float_repr(value)
    if _isfinite(value):
        if text == "-0.0":
            return _tagged("number", '"value":"-0"')
        # A whole float and the int of the same value are one number in JSON.
        return text[:-2] if text.endswith(".0") else text
    name = "NaN" if _isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return _tagged("number", '"value":"' + name + '"')


def _float_of(value):
    """A float is not the int of the same value: whole ones are written with a tag, which JSON has no word for."""
    return _tagged("float", '"value":"' + _float_repr(value) + '"') if _is_whole(value) else _number(value)


def _compound(value, kind, mro, above, spent):
    for depth, (seen, _, _) in _enumerate(above):
        if seen is value:
            return _tagged("ref", '"path":' + _quote(_pointer(above[:depth])))
    if _len(above) >= MAX_DEPTH:
        return _truncated("depth")

    def inside(key, element, folder=None):
        return _write(element, (*above, (value, folder, key)), spent)

    if _BaseException in mro:
        return _exception(value, mro, inside, spent)
    for base in _CONTAINERS:
        if base in mro:
            if _uses_own_methods(value, base, mro):
                return _container(value, base, inside, spent)
            if _Enum in mro:
                break

            def within(key, element, folder=None):
                return inside(key, element, "props/value" if folder is None else "props/value/" + folder)

            props = ',"props":{"value":' + _container(value, base, within, spent) + "}"
            return _tagged("instance", '"class":' + _text(_name(kind), spent) + props)
    if kind is _bytes or kind is _bytearray or kind is _memoryview:
        raw = _bytes(value)
        spent.chars += _len(raw) * 1.4
        if spent.chars > MAX_CHARS:
            return _truncated("size")
        return _tagged("bytes", '"of":"' + kind.__name__ + '","base64":"' + _b64(raw).decode() + '"')
    return _instance(value, kind, mro, above, spent, _known(value, kind, spent))


def _container(value, base, inside, spent):
    if base is _list:
        return "[" + ",".join([inside(_repr(i), e) for i, e in _enumerate(_capped(_list_iter(value), spent))]) + "]"
    if base is _dict:
        return _mapping(value, inside, spent)
    if base is _tuple:
        elements = [inside(_repr(i), e, "values") for i, e in _enumerate(_capped(_tuple_iter(value), spent))]
        return _tagged("tuple", '"values":[' + ",".join(elements) + "]")
    iterate = _set_iter if base is _set else _frozenset_iter
    # Their order is random: sorted by what is written.
    elements = [inside("0", e, "values") for e in _capped(iterate(value), spent)]
    return _tagged("set", '"values":[' + ",".join(_sorted(elements)) + "]")


def _uses_own_methods(value, base, mro):
    """Whether a container is used by the methods of its builtin class: no class before that has one of its own.

    A dict whose items are right and whose subscript gives others is no dict.
    """
    keys = _USED_BY[base]
    for cls in mro:
        if _id(cls) in _KNOWN_IDS:
            break
        for name, member in _dict_items(_dict_of(cls).copy()):
            if name == "__dict__" and _type(member) is not _getset_descriptor:
                return False
            if _str_add("", name) in keys and not _is_of_named_tuple(name, member):
                return False
    try:
        own = _object_getattribute(value, "__dict__")
    except _BaseException:
        return True
    if _type(own) is not _dict:
        return False
    for key in own:
        if _str in _mro_of(_type(key)) and _str_add("", key) in keys:
            return False
    return True


def _is_of_named_tuple(name, member):
    if _type(member) is _field_descriptor:
        return True
    return name == "__repr__" and _type(member) is _FunctionType and _code_of(member) is _NAMED_REPR


def _capped(iterator, spent):
    for element in iterator:
        if spent.values > MAX_VALUES:
            return
        yield element


def _pointer(above):
    parts = []
    for _, folder, key in above:
        if folder is not None:
            parts.append(folder)
        parts.append(key.replace("~", "~0").replace("/", "~1"))
    return "".join(["/" + part for part in parts])


def _mapping(value, inside, spent):
    items = _list(_capped(_dict_items(value), spent))
    if _all_text(items):
        return _object_text(items, inside, None, spent)
    pairs = [
        "[" + inside("0", key, "entries/" + _repr(i)) + "," + inside("1", element, "entries/" + _repr(i)) + "]"
        for i, (key, element) in _enumerate(items)
    ]
    return _tagged("map", '"entries":[' + ",".join(pairs) + "]")


def _all_text(items):
    for key, _ in items:
        if _type(key) is not _str:
            return False
    return True


def _object_text(items, inside, folder, spent):
    fields = [(key, _text(key, spent), inside(key, element, folder)) for key, element in items]
    for key, _, _ in fields:
        if key == "$t" or _has_surrogate(key):
            return _tagged("object", '"entries":[' + ",".join(["[" + n + "," + e + "]" for _, n, e in fields]) + "]")
    return "{" + ",".join([name + ":" + element for _, name, element in fields]) + "}"


def _own(value, mro):
    """Own data: the instance's dictionary, and slots; both read without calling anything of the object's class."""
    items = []
    if _Enum in mro:
        own = _object_getattribute(value, "__dict__")
        return [("name", _dict_get(own, "_name_")), ("value", _dict_get(own, "_value_"))]
    for cls in mro:
        if not _is_product_class(cls):
            continue
        for name, member in _dict_items(_dict_of(cls).copy()):
            if _type(member) is _member_descriptor and cls is not _object and not name.startswith("__"):
                try:
                    items.append((name, _member_descriptor.__get__(member, value, cls)))
                except _BaseException:
                    pass
    try:
        own = _object_getattribute(value, "__dict__")
    except _BaseException:
        own = None
    if _type(own) is _dict:
        items.extend([(k, v) for k, v in _dict_items(own) if _type(k) is _str])
    return items


def _instance(value, kind, mro, above, spent, plain):
    for depth, (seen, _, _) in _enumerate(above):
        if seen is value:
            return _tagged("ref", '"path":' + _quote(_pointer(above[:depth])))
    if _len(above) >= MAX_DEPTH:
        return _truncated("depth")

    def inside(key, element, folder=None):
        return _write(element, (*above, (value, folder, key)), spent)

    items = _own(value, mro) if _is_product_class(kind) else []
    name = _text(_name(kind), spent)
    if plain is not None and not items:
        props = '{"value":' + plain + "}"
    else:
        props = _object_text(items, inside, "props", spent)
    return _tagged("instance", '"class":' + name + ',"props":' + props)


def _is_product_class(cls):
    """A class made by a class statement: builtin ones keep nothing but their value."""
    return _flags_of(cls) & _HEAP_TYPE != 0


def _known(value, kind, spent):
    """Text of values of the standard library that hold their data out of reach. Only of exactly these classes."""
    module = _type_getattribute(kind, "__module__")
    name = _type_getattribute(kind, "__name__")
    if module == "datetime" and name in ("datetime", "date", "time", "timedelta"):
        return _text(kind.__str__(value) if name == "timedelta" else kind.isoformat(value), spent)
    if (module, name) in (("decimal", "Decimal"), ("fractions", "Fraction"), ("uuid", "UUID")) or module == "pathlib":
        return _text(kind.__str__(value), spent)
    return None


def _exception(value, mro, inside, spent):
    try:
        message = _str(value)
        message = message if _type(message) is _str else ""
    except _BaseException:
        message = ""
    # A class that only has the name of a built-in exception is none.
    named = [(_name(cls), cls) for cls in mro if cls is not _object]
    names = [_text(name, spent) for name, cls in named if _EXCEPTIONS.get(name, cls) is cls]
    own_name = _text(named[0][0], spent)
    rest = '"name":' + own_name + ',"message":' + _text(message, spent) + ',"classes":[' + ",".join(names) + "]"
    own = _own(value, mro)
    for key, element in own:
        if key in ("code", "errno"):
            rest += ',"code":' + inside("code", element)
            break
    else:
        for cls, read in _CODES:
            if cls in mro:
                rest += ',"code":' + inside("code", read(value))
    cause = _BaseException.__dict__["__cause__"].__get__(value)
    if cause is not None:
        rest += ',"cause":' + inside("cause", cause)
    if _GROUP is not None and _GROUP in mro:
        rest += ',"errors":' + inside("errors", _list(_GROUP.exceptions.__get__(value)))
    props = [(k, v) for k, v in own if k not in ("code", "errno", "__notes__")]
    if props:
        rest += ',"props":' + _object_text(props, inside, "props", spent)
    return _tagged("error", rest)


_CODES = ((SystemExit, SystemExit.__dict__["code"].__get__), (OSError, OSError.__dict__["errno"].__get__))
try:
    _GROUP = BaseExceptionGroup
except NameError:
    _GROUP = None
