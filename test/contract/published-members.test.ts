// Names of members in the types of published clients: the contract has them all, or those clients would be refused.
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import type { DescMessage } from "@bufbuild/protobuf"
import t, { type Test } from "tap"
import { activityTypes } from "../../proto/catalog.ts"
import { queryPaths } from "../../proto/operations.ts"
import { planOf } from "../../proto/read-plan.ts"
import { ENVELOPE_MEMBERS, misspellingCheck } from "../../proto/unknown-members.ts"

type Definitions = ReadonlyMap<string, readonly { name: string; type: string | undefined }[]>

const FILE =
  "../../node_modules/@turnkey/http/dist/__generated__/services/coordinator/public/v1/public_api.types.d.ts"

/** The members of each definition in the generated declarations, with the definition of each member's value. */
function readDefinitions(): Definitions {
  const definitions = new Map<string, { name: string; type: string | undefined }[]>()
  let members: { name: string; type: string | undefined }[] | undefined
  for (const line of readFileSync(fileURLToPath(new URL(FILE, import.meta.url)), "utf8").split("\n")) {
    const [, opened] = /^ {4}(\w+): \{$/.exec(line) ?? []
    if (opened !== undefined) definitions.set(opened, (members = []))
    else if (line.startsWith("    }")) members = undefined
    const [, name, value = ""] = /^ {8}(\w+)\??: (.*);$/.exec(line) ?? []
    if (name !== undefined) members?.push({ name, type: /definitions\["(\w+)"\]/.exec(value)?.[1] })
  }
  return definitions
}

const definitions = readDefinitions()

/** Compares a definition with our message, and those of its members with theirs. Returns the number of members. */
function compare(t: Test, definition: string, schema: DescMessage, seen = new Set<string>()): number {
  const pair = `${definition} ${schema.typeName}`
  if (seen.has(pair)) return 0
  seen.add(pair)
  const { fields } = planOf(schema)
  let count = 0
  for (const { name, type } of definitions.get(definition) ?? []) {
    count++
    const field = fields.get(name)
    if (field === undefined) t.fail(`${pair} has no ${name}`)
    else if (field.message && type) count += compare(t, type, field.message, seen)
  }
  return count
}

t.test("the contract has every member that published clients know", async (t) => {
  const capitalized = (name: string) => name.charAt(0).toUpperCase() + name.slice(1)
  let members = 0
  const versions = Map.groupBy(activityTypes.values(), ({ path }) => path)
  for (const [path, entries] of versions) {
    // The creation of a top-level organization is no operation of published clients.
    if (path === "create_organization") continue
    for (const { intentName, intentSchema } of entries)
      members += compare(t, `v1${capitalized(intentName)}`, intentSchema)
  }
  for (const { input } of queryPaths.values()) members += compare(t, `v1${input.name}`, input)
  t.ok(members > 500, `${members} members were compared`)
})

t.test("no member of a published body looks misspelt in its envelope", async (t) => {
  const bodies = [...definitions].filter(([, members]) => members.some(({ name }) => name === "timestampMs"))
  t.ok(bodies.length > 50)
  for (const [definition, members] of bodies)
    for (const { name } of members)
      if (!ENVELOPE_MEMBERS.has(name))
        t.doesNotThrow(() => misspellingCheck()("", name, ENVELOPE_MEMBERS), `${definition}.${name}`)
})

t.test(
  "a member of another version of the same operation looks misspelt in no version but one",
  async (t) => {
    const near: string[] = []
    for (const entries of Map.groupBy(activityTypes.values(), ({ path }) => path).values())
      for (const sent of entries)
        for (const read of entries)
          for (const { jsonName } of planOf(sent.intentSchema).fields.values()) {
            const { fields } = planOf(read.intentSchema)
            if (fields.has(jsonName)) continue
            try {
              misspellingCheck()("", jsonName, fields)
            } catch {
              near.push(`${jsonName} as ${read.type}`)
            }
          }
    t.strictSame([...new Set(near)].toSorted(), [
      "signWith as ACTIVITY_TYPE_SOL_SEND_TRANSACTION_V2",
      "signWiths as ACTIVITY_TYPE_SOL_SEND_TRANSACTION",
    ])
  },
)
