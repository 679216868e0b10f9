"""Tests a client against the fake service of examples/backlist, which each test resets."""

import os, pathlib, subprocess, tempfile, unittest
import requests


def event_names(service):
    """The code under test: the names of all events, page by page."""
    names, url = [], service + "/api/events/?ordering=id"
    while url:
        answer = requests.get(url, timeout=10)
        answer.raise_for_status()
        names += [event["name"] for event in answer.json()["results"]]
        url = answer.json()["next"]
    return names


def setUpModule():
    global service, control
    path = os.environ.get("BACKLIST")
    if not path:
        path = os.path.join(tempfile.mkdtemp(), "backlist")
        subprocess.run(["go", "build", "-o", path, "../backlist"], cwd=pathlib.Path(__file__).parent, check=True)
    flags = ["-addr", "127.0.0.1:0", "-control", "127.0.0.1:0", "-open"]
    program = subprocess.Popen([path, *flags], stdout=subprocess.PIPE, text=True)
    unittest.addModuleCleanup(lambda: (program.terminate(), program.communicate()))
    service = program.stdout.readline().split()[1].removesuffix("/api/")  # serving http://127.0.0.1:…/api/
    control = program.stdout.readline().split()[1]  # control http://127.0.0.1:…/


class EventNames(unittest.TestCase):
    def setUp(self):
        requests.post(control + "reset/").raise_for_status()

    def log(self):
        return requests.get(control + "exchanges/").json()

    def test_reads_every_page_once(self):
        self.assertEqual(len(event_names(service)), 300)
        self.assertEqual([e["status"] for e in self.log()], [200] * 15)

    def test_reports_a_page_that_fails(self):
        requests.post(control + "faults/", json={"fault": "GET /api/events/ 503 nth=2"})
        self.assertRaises(requests.HTTPError, event_names, service)
        self.assertEqual([e["status"] for e in self.log()], [200, 503])

    def test_returns_to_the_first_records(self):
        links = service + "/api/social-links/"
        before = requests.get(links).json()["count"]
        site = {"title": "Site", "url": "https://onda.example", "type": "website", "author": 1}
        self.assertEqual(requests.post(links, json=site).status_code, 201)
        requests.post(control + "reset/")
        self.assertEqual(requests.get(links).json()["count"], before)
        self.assertEqual([e["method"] for e in self.log()], ["GET"])  # since the reset


if __name__ == "__main__":
    unittest.main()
