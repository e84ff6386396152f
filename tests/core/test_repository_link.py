"""Pages link to the files of their repository with addresses that still work after a branch is renamed."""

from __future__ import annotations

import pytest

from scenebook.core.repository_link import fault, link

TOP = "https://github.com/example/repo"


@pytest.mark.parametrize(
    ("address", "folder"),
    [
        (TOP, ""),
        (f"{TOP}/", ""),
        (f"{TOP}.git", ""),
        (f"{TOP}.git/", ""),
        (f"{TOP}/tree/HEAD", ""),
        (f"{TOP}/tree/HEAD/site", "/site"),
        (f"{TOP}/tree/HEAD/site/", "/site"),
        (f"{TOP}.git/tree/HEAD/a/b%20c", "/a/b%20c"),
    ],
)
def test_a_file_is_linked_on_the_default_branch(address: str, folder: str) -> None:
    assert fault(address) is None
    assert link(address, "scenes/a/b.py") == f"{TOP}/blob/HEAD{folder}/scenes/a/b.py"


def test_special_characters_of_a_path_are_quoted() -> None:
    assert link(TOP, "scenes/é #1.py") == f"{TOP}/blob/HEAD/scenes/%C3%A9%20%231.py"


@pytest.mark.parametrize("name", ["repo.github.io", "a-b_c.d", ".github"])
def test_a_repository_can_have_this_name(name: str) -> None:
    assert link(f"https://github.com/example/{name}", "a.py") == f"https://github.com/example/{name}/blob/HEAD/a.py"


@pytest.mark.parametrize("address", ["https://example.org/repo", "https://gitlab.com/a/b", "https://codeberg.org/a/b"])
def test_files_on_another_host_are_not_linked(address: str) -> None:
    assert fault(address) is None
    assert link(address, "a.py") is None


@pytest.mark.parametrize(
    "address",
    [
        "https://github.com",
        "https://github.com/example",
        f"{TOP}/issues",
        f"{TOP}/blob/HEAD/a.py",
        f"{TOP}?tab=readme",
        f"{TOP}#readme",
        f"{TOP}//",
        f"{TOP}/tree/HEAD/../a",
        f"{TOP}/tree/HEAD/a/..",
        "https://me@github.com/example/repo",
    ],
)
def test_an_address_on_github_that_is_not_a_repository_is_reported(address: str) -> None:
    assert fault(address) == (
        "is not the address of a repository; write https://github.com/OWNER/NAME, followed by /tree/HEAD/FOLDER if the "
        "site is in a folder of the repository"
    )
    assert link(address, "a.py") is None


@pytest.mark.parametrize(("address", "branch"), [(f"{TOP}/tree/main", "main"), (f"{TOP}/tree/dev/site", "dev")])
def test_a_branch_is_reported_with_head_as_the_replacement(address: str, branch: str) -> None:
    assert fault(address) == f"names the branch '{branch}', which may be renamed; write HEAD instead"
    assert link(address, "a.py") is None
