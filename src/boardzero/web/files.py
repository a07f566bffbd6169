"""The page's own files. Only what was found by listing the folder can be asked for: a client's path is never opened."""

import gzip
import hashlib
import mimetypes
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path

from fastapi import APIRouter, Request
from fastapi.responses import Response

from boardzero.web.routes.problems import problem

PAGE = Path(__file__).parent / "page"
KINDS = {".js": "text/javascript", ".mjs": "text/javascript", ".css": "text/css", ".html": "text/html", ".svg": "image/svg+xml"}
INDEX = "index.html"
REVALIDATE = {"Cache-Control": "no-cache"}

router = APIRouter(include_in_schema=False)


@dataclass(frozen=True)
class PageFile:
    """A file's content, and its tag, which changes with the content."""

    content: bytes
    tag: str
    kind: str
    changed: int  # nanoseconds


class PageFiles:
    """The files under a folder by their paths in addresses, kept in memory: the page answers at once, however busy the disk."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._paths: dict[str, Path] = {}
        self._files: dict[str, PageFile] = {}

    def find(self, name: str) -> PageFile | None:
        """A file that has changed is read anew, so that a page under work is served as it is."""
        path = self._paths.get(name) or self._list().get(name)
        if path is None:
            return None
        try:
            changed = path.stat().st_mtime_ns
            known = self._files.get(name)
            if known is None or known.changed != changed:
                known = self._files[name] = _read(path, changed)
        except OSError:
            del self._paths[name]
            return None
        return known

    def _list(self) -> dict[str, Path]:
        self._paths = {path.relative_to(self._folder).as_posix(): path for path in self._folder.rglob("*") if path.is_file()}
        return self._paths


def _read(path: Path, changed: int) -> PageFile:
    content = path.read_bytes()
    kind = KINDS.get(path.suffix) or mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    return PageFile(content, f'"{hashlib.sha256(content).hexdigest()[:16]}"', kind, changed)


PAGE_FILES = PageFiles(PAGE)


@lru_cache(maxsize=1)
def plotly_script() -> tuple[bytes, bytes, str]:
    """Plotly's JavaScript from the installed package, plain and compressed, and its tag."""
    content = files("plotly").joinpath("package_data/plotly.min.js").read_bytes()
    return content, gzip.compress(content, 6), f'"plotly-{version("plotly")}-{hashlib.sha256(content).hexdigest()[:8]}"'


@router.get("/plotly.min.js")
def plotly(request: Request) -> Response:
    content, compressed, tag = plotly_script()
    headers = {"ETag": tag, "Cache-Control": "public, max-age=86400", "Vary": "Accept-Encoding"}
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    if "gzip" in request.headers.get("accept-encoding", ""):
        return Response(compressed, media_type="text/javascript", headers={**headers, "Content-Encoding": "gzip"})
    return Response(content, media_type="text/javascript", headers=headers)


@router.get("/{path:path}")
async def page_file(request: Request, path: str) -> Response:
    """A file of the page; an address without a dot is one of the page's views."""
    if path == "api" or path.startswith("api/"):
        return problem(404, "There is nothing at this address.")
    found = PAGE_FILES.find(path or INDEX)
    if found is None and "." not in path.rpartition("/")[2]:
        found = PAGE_FILES.find(INDEX)
    if found is None:
        return problem(404, "There is nothing at this address.")
    headers = {"ETag": found.tag, **REVALIDATE}
    if request.headers.get("if-none-match") == found.tag:
        return Response(status_code=304, headers=headers)
    return Response(found.content, media_type=found.kind, headers=headers)
