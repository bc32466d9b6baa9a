"""Builds the wheel with Python's own modules, so that no tool has to be installed: `python3 backend.py <folder>`."""

import base64
import hashlib
import re
import sys
import tomllib
import zipfile
from pathlib import Path

HERE = Path(__file__).parent
PACKAGE = "standin_client"
TAG = "py3-none-any"


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """The hook of PEP 517, so that `pip install <this folder>` works too."""
    project = tomllib.loads((HERE / "pyproject.toml").read_text("utf-8"))["project"]
    version = re.search(r'VERSION = "(.+)"', (HERE / PACKAGE / "_version.py").read_text("utf-8")).group(1)
    info = f"{PACKAGE}-{version}.dist-info"
    files = {f"{PACKAGE}/{path.name}": path.read_bytes() for path in sorted((HERE / PACKAGE).iterdir()) if path.is_file()}
    files[f"{info}/LICENSE"] = (HERE / "LICENSE").read_bytes()
    files[f"{info}/METADATA"] = _metadata(project, version).encode()
    files[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: standin\nRoot-Is-Purelib: true\nTag: {TAG}\n".encode()
    record = [f"{name},sha256={_digest(content)},{len(content)}\n" for name, content in files.items()]
    files[f"{info}/RECORD"] = "".join([*record, f"{info}/RECORD,,\n"]).encode()
    name = f"{PACKAGE}-{version}-{TAG}.whl"
    with zipfile.ZipFile(Path(wheel_directory) / name, "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, content in files.items():
            # The same time in each build, so that the same sources make the same file.
            entry = zipfile.ZipInfo(path, (1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            wheel.writestr(entry, content)
    return name


def _metadata(project, version):
    fields = [
        ("Metadata-Version", "2.1"),
        ("Name", project["name"]),
        ("Version", version),
        ("Summary", project["description"]),
        ("Keywords", ",".join(project["keywords"])),
        ("License", project["license"]),
        ("Requires-Python", project["requires-python"]),
        ("Description-Content-Type", "text/markdown"),
    ]
    head = "".join(f"{name}: {value}\n" for name, value in fields)
    return f"{head}\n{(HERE / project['readme']).read_text('utf-8')}"


def _digest(content):
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()


if __name__ == "__main__":
    print(build_wheel(sys.argv[1]))
