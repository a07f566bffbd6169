"""The API for people to read: one plain page made from the OpenAPI document, without scripts."""

import html
import re
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

router = APIRouter(include_in_schema=False)
CODE = re.compile("`([^`]+)`")
STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color-scheme:light dark}"
    "code{font-family:ui-monospace,monospace}h3{margin-bottom:.2rem}table{border-collapse:collapse}"
    "td,th{text-align:left;padding:.15rem .8rem .15rem 0;vertical-align:top}section{margin-bottom:2rem}"
)


@router.get("/api/docs")
async def api_docs(request: Request) -> HTMLResponse:
    return HTMLResponse(render(request.app.openapi()))


def render(document: dict[str, Any]) -> str:
    """The whole document as HTML: routes by subject, then the kinds of objects."""
    groups: dict[str, list[str]] = {}
    for path, methods in document["paths"].items():
        for method, route in methods.items():
            groups.setdefault(route["tags"][0], []).append(_route(method.upper(), path, route))
    subjects = "".join(f"<section><h2>{_safe(name)}</h2>{''.join(routes)}</section>" for name, routes in groups.items())
    kinds = "".join(_kind(name, schema) for name, schema in sorted(document["components"]["schemas"].items()))
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        f'<title>boardzero: API</title><link rel="icon" href="/favicon.svg"><style>{STYLE}</style></head>'
        "<body><h1>boardzero: API</h1>"
        f'<p>{_safe(document["info"]["description"])} The same for programs: <a href="/api/openapi.json">openapi.json</a>.</p>'
        f"{subjects}<section><h2>Objects</h2>{kinds}</section></body></html>"
    )


def _route(method: str, path: str, route: dict[str, Any]) -> str:
    rows = "".join(
        f"<tr><td><code>{_safe(each['name'])}</code></td><td>{_type(each['schema'])}</td>"
        f"<td>{_safe(each.get('description') or each['schema'].get('description', ''))}</td></tr>"
        for each in route.get("parameters", [])
    )
    body = route.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema")
    good = next(answer for status, answer in route["responses"].items() if status.startswith("2"))
    answer = good.get("content", {}).get("application/json", {}).get("schema")
    takes = f"<p>takes {_type(body)}</p>" if body else ""
    gives = f"<p>answers {_type(answer)}</p>" if answer else "<p>answers a stream of events</p>"
    table = f"<table>{rows}</table>" if rows else ""
    return f"<h3><code>{method} {_safe(path)}</code></h3><p>{_safe(route.get('description', ''))}</p>{table}{takes}{gives}"


def _kind(name: str, schema: dict[str, Any]) -> str:
    rows = "".join(
        f"<tr><td><code>{_safe(key)}</code></td><td>{_type(field)}</td><td>{_safe(field.get('description', ''))}</td></tr>"
        for key, field in schema.get("properties", {}).items()
    )
    return f'<h3 id="{_safe(name)}">{_safe(name)}</h3><p>{_safe(schema.get("description", ""))}</p><table>{rows}</table>'


def _type(schema: dict[str, Any]) -> str:
    """`text`, `list of MoveDescription`, `number or null`, with links to objects."""
    if "$ref" in schema:
        name = _safe(schema["$ref"].rpartition("/")[2])
        return f'<a href="#{name}">{name}</a>'
    for key in ("anyOf", "oneOf"):
        if key in schema:
            return " or ".join(map(_type, schema[key]))
    if "enum" in schema or "const" in schema:
        return " | ".join(f"<code>{_safe(str(each))}</code>" for each in schema.get("enum", [schema.get("const")]))
    if schema.get("type") == "array":
        return f"list of {_type(schema['items'])}" if "items" in schema else "list"
    return _safe({"string": "text", "integer": "whole number"}.get(schema.get("type", ""), str(schema.get("type", "anything"))))


def _safe(text: str) -> str:
    """Text in HTML; what stands between backticks is code."""
    return CODE.sub(r"<code>\1</code>", html.escape(text, quote=True))
