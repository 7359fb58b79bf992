// Organizations of past logins, from a storage that any program of the origin may have written to.
import t from "tap"
import {
  knownOrganizations,
  rememberOrganization,
} from "../../../services/dashboard/api/known-organizations.ts"

const own = { organizationId: "o", organizationName: "Acme", username: "root", lastMs: 1_800_000_000_000 }

t.beforeEach((t) => {
  const kept = new Map<string, string>()
  const storage = {
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, value: string) => kept.set(name, value),
  }
  t.intercept(globalThis, "localStorage", { value: storage })
})

t.test("an entry of another form is left out, and the others stay", (t) => {
  const whole = { ...own, credentialId: "AAEC" }
  const wrong = [
    null,
    7,
    "o",
    { ...own, organizationId: 7 },
    { ...own, organizationName: undefined },
    { ...own, username: {} },
    ...[7, {}, null, "", "no id!", "AAECA", "AAF"].map((credentialId) => ({ ...own, credentialId })),
    ...[undefined, null, "today", 9e15].map((lastMs) => ({ ...own, lastMs })),
  ]
  for (const entry of wrong) {
    localStorage.setItem("countersign.organizations", JSON.stringify([entry, own, whole]))
    t.strictSame(knownOrganizations(), [own, whole], JSON.stringify(entry))
  }
  t.end()
})

t.test("what is no list is none, and a login begins one", (t) => {
  for (const text of ["", "{}", "null", "no JSON"]) {
    localStorage.setItem("countersign.organizations", text)
    t.strictSame(knownOrganizations(), [], text)
  }
  rememberOrganization({
    organizationId: "o",
    organizationName: "Acme",
    username: "root",
    credentialId: "AAEC",
  })
  t.match(knownOrganizations(), [{ organizationId: "o", credentialId: "AAEC" }])
  t.end()
})
