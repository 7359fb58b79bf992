// One exported type name, one meaning: a reader who meets a type knows it in every file. Another file may export the same type again.
import t from "tap"
import type { Source } from "./import-faults.ts"
import { sourcesIn } from "./sources.ts"

const DECLARED = /^(export )?(?:declare )?(?:abstract )?(?:type|interface|class|(?:const )?enum) (\w+)/gm
const EXPORTED_LATER = /^export (?:type )?\{([^}]*)\}(?!\s*from)/gm

/** Types that a file declares and exports, at once or in a list; not those of another file that it exports again. */
function typesOf({ text }: Source): string[] {
  const later = new Set(
    [...text.matchAll(EXPORTED_LATER)].flatMap(([, names = ""]) =>
      names.split(",").map((name) => name.trim().replace(/^type /, "")),
    ),
  )
  return [...text.matchAll(DECLARED)]
    .filter(([, isExported, name = ""]) => isExported !== undefined || later.has(name))
    .map(([, , name = ""]) => name)
}

/** Names that two files export, each with the files. */
function doubledNames(sources: readonly Source[]): string[] {
  const files = new Map<string, string[]>()
  for (const source of sources)
    for (const name of new Set(typesOf(source))) files.set(name, [...(files.get(name) ?? []), source.path])
  return [...files]
    .filter(([, paths]) => paths.length > 1)
    .map(([name, paths]) => `${name}: ${paths.join(", ")}`)
}

t.test("no two files of the signer and the services export a type of one name", async (t) => {
  const sources = ["signer", "services"].flatMap(sourcesIn)
  t.ok(sources.flatMap(typesOf).length > 1000)
  t.strictSame(doubledNames(sources), [])
})

t.test("a name with two meanings is found, and a type that is exported again is not", async (t) => {
  const one = { path: "a/one.ts", text: "export type Part = { a: string }\n" }
  const two = { path: "a/two.ts", text: "type Part = { b: string }\nclass Own {}\nexport { type Part }\n" }
  const again = {
    path: "a/again.ts",
    text: 'import type { Part } from "./one.ts"\nexport type { Part }\nexport { type Own } from "./two.ts"\n',
  }
  const local = { path: "a/local.ts", text: "type Part = string\nfunction part(): Part {}\n" }
  t.strictSame(doubledNames([one, two, again, local]), ["Part: a/one.ts, a/two.ts"])
  for (const declared of ["interface Part {", "export class Part {", "export enum Part {"]) {
    const text = `${declared}}\nexport type { Part }\n`
    t.strictSame(doubledNames([one, { path: "b.ts", text }]), ["Part: a/one.ts, b.ts"], declared)
  }
})

/** Types of the code that are a message or an enumeration of proto/ in another form: as JSON, as it is read, kept or run. */
const OTHER_FORMS = [
  "Activity",
  "ApiKey",
  "AppProof",
  "ClientSignature",
  "CreatedOrganization",
  "Credential",
  "Curve",
  "Decision",
  "DenialAdvice",
  "ExpressionFault",
  "Feature",
  "Histogram",
  "IpBlock",
  "IssuerKey",
  "MailTemplate",
  "MfaMethod",
  "MfaPolicy",
  "OidcClaims",
  "OnRampStatus",
  "OrganizationState",
  "Phase",
  "Policy",
  "PolicyOutcome",
  "PrivateKey",
  "SendCall",
  "Stamp",
  "User",
  "VelocityControl",
  "Vote",
  "Wallet",
]

t.test("a type that has the name of a message is that message in another form", async (t) => {
  const messages = new Set(sourcesIn("proto/gen").flatMap(typesOf))
  t.ok(messages.size > 500)
  const shared = ["signer", "services"].flatMap(sourcesIn).flatMap(typesOf)
  t.strictSame([...new Set(shared)].filter((name) => messages.has(name)).toSorted(), OTHER_FORMS)
})
