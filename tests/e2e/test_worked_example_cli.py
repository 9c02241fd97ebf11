"""The RFC's worked example, told through the command line."""

from __future__ import annotations

from e2e.conftest import Project
from e2e.rfc import BUILD, CHECKS, CHECKS_REVISED, IMPORT, QUESTION, SITE, USER_NOTE


def citation(receipt: dict) -> str:
    memory = receipt["memory"]
    return f"memlens:{memory['artifact_id']}@{memory['revision']}/{receipt['entry_id']}/{receipt['entry_version_id']}"


def test_the_worked_example_of_the_rfc(project: Project) -> None:
    # The first task ends. Three candidates pass admission: Revision 1.
    build, checks, site = project.json("import", "-", stdin=IMPORT)
    assert [each["key"] for each in (build, checks, site)] == ["build", "checks", "site"]
    assert {each["memory"]["revision"] for each in (build, checks, site)} == {1}

    # Later the user adds a correction. It is no new memory but a revision of the habit: Revision 2.
    revised = project.json(
        "revise", checks["entry_id"], CHECKS_REVISED, "--note", USER_NOTE, "--reason", "user_corrected", "--json"
    )
    assert revised["entry_id"] == checks["entry_id"]
    assert revised["memory"]["revision"] == 2
    (version_2,) = project.json("expand", citation(revised), "--json")
    assert (version_2["version"], version_2["previous_version_id"]) == (2, checks["entry_version_id"])
    assert [source["type"] for source in version_2["sources"]].count("DocumentSource") == 2
    assert USER_NOTE in [source["content"].get("text") for source in version_2["sources"]]

    # "Do not remember the one about site/ any longer": Revision 3. Its body stays.
    (forgotten,) = project.json("forget", site["entry_id"], "--reason", "user_requested", "--json")
    assert (forgotten["memory"]["revision"], forgotten["entry_version_id"]) == (3, site["entry_version_id"])

    # Before the next task the agent asks; the inactive entry is not recalled.
    found = project.json("search", QUESTION, "--mode", "fts", "--json")
    assert found["mode"] == "fts"
    assert {hit["text"] for hit in found["hits"]} == {BUILD, CHECKS_REVISED}
    assert {hit["memory_ref"]["revision"] for hit in found["hits"]} == {3}

    # An old hand-over cited Revision 2. It still explains which version of which entry it meant.
    (cited,) = project.json("expand", citation(revised), "--json")
    assert cited["text"] == CHECKS_REVISED

    # Reactivation brings the same version back: Revision 4.
    (back,) = project.json("reactivate", site["entry_id"], "--reason", "user_restored", "--json")
    assert (back["memory"]["revision"], back["entry_version_id"]) == (4, site["entry_version_id"])
    assert [hit["text"] for hit in project.json("search", "site", "--json")["hits"]] == [SITE]

    # The whole history is there, with the reasons, and every byte of it verifies.
    ops = [(change["op"], change["reason"]) for each in project.json("changes", "--since", "0", "--json")
           for change in each["changes"]]  # fmt: skip
    assert ops == [("add", None)] * 3 + [
        ("revise", "user_corrected"),
        ("deactivate", "user_requested"),
        ("reactivate", "user_restored"),
    ]
    history = project.json("history", checks["entry_id"], "--json")
    assert [(step["version"], step["text"], step["actor"]) for step in history] == [
        (1, CHECKS, "Ada"),
        (2, CHECKS_REVISED, "Ada"),
    ]
    report = project.json("verify", "--json")
    assert report == {"ok": True, "revisions": 4, "entry_versions": 4, "problems": []}
