// The words of every activity name every member that the signer uses, however the body spells it and whatever stands beside.
import { getOption, hasOption } from "@bufbuild/protobuf"
import t from "tap"
import { type ActivityEntry, activityTypes } from "../../../../proto/catalog.ts"
import { rule as ruleOption } from "../../../../proto/gen/countersign/api/v1/options_pb.ts"
import { readBody } from "../../../../signer/core/request/read-body.ts"
import { wordsOfRequest } from "../../../../signer/core/words/request.ts"
import type { Words } from "../../../../signer/core/words/words.ts"
import { bodyOf, everySample, inSnakeCase, type Json, replaced } from "./samples.ts"

const wordsOf = (type: string, parameters: Json) => wordsOfRequest(readBody(bodyOf(type, parameters)))

/** All that an approver reads. */
function wholeText({ sentence, contents, members }: Words): string {
  const facts = [...contents.flatMap((content) => content.facts), ...members]
  const lines = facts.flatMap(({ name, value, text = [] }) => [`${name}: ${value}`, ...text])
  return [sentence, ...contents.flatMap(({ warnings }) => warnings), ...lines].join("\n")
}

t.test("every member of every activity is in the words by its value", async (t) => {
  const seen = new Set<string>()
  for (const { entry, parameters, leaves } of everySample()) {
    seen.add(entry.type)
    const text = wholeText(wordsOf(entry.type, parameters))
    const untold = leaves.filter(({ value }) => {
      const shown = typeof value === "string" && value.includes(" ") ? JSON.stringify(value) : String(value)
      return !text.includes(shown)
    })
    t.same(untold, [], entry.type)
  }
  t.same(seen, new Set(activityTypes.keys()))
})

t.test("another value of any member makes other words, and another line in a list", async (t) => {
  for (const { entry, parameters, leaves } of everySample()) {
    const words = wordsOf(entry.type, parameters)
    const same = leaves.filter(({ path, value, other }) => {
      const changed = wordsOf(entry.type, replaced(parameters, path, other))
      return other !== value && (wholeText(changed) === wholeText(words) || changed.line === words.line)
    })
    t.same(same, [], entry.type)
  }
})

t.test("a member that is left out is in no words, and makes another line in a list", async (t) => {
  for (const { entry, parameters } of everySample()) {
    const words = wordsOf(entry.type, parameters)
    for (const member of optionalMembersOf(entry, parameters)) {
      const { [member]: left, ...rest } = parameters
      const changed = wordsOf(entry.type, rest)
      t.not(changed.line, words.line, `${entry.type} without ${member}`)
      const paths = changed.members.map(({ path }) => path.replace(/[.[].*/, ""))
      t.notOk(paths.includes(member), `${entry.type} ${member} ${String(left)}`)
    }
  }
})

t.test("both spellings of the members make the same words; a member under both is no request", async (t) => {
  for (const { entry, parameters } of everySample()) {
    const snake = inSnakeCase(entry.intentSchema, parameters)
    const [words, spelt] = [wordsOf(entry.type, parameters), wordsOf(entry.type, snake)]
    t.same(spelt, words, entry.type)
    const doubled = entry.intentSchema.fields.find(
      ({ jsonName, name }) => name !== jsonName && jsonName in parameters,
    )
    if (doubled === undefined) continue
    t.throws(
      () => wordsOf(entry.type, { ...parameters, [doubled.name]: parameters[doubled.jsonName] }),
      /sent twice/,
    )
  }
})

t.test("members of every other activity change no word: they are listed as ignored", async (t) => {
  const everyMember = new Map(
    everySample().flatMap(({ entry, parameters }) =>
      entry.intentSchema.fields.flatMap(({ jsonName, name }) =>
        jsonName in parameters
          ? ([
              [jsonName, parameters[jsonName]],
              [name, parameters[jsonName]],
            ] as [string, unknown][])
          : [],
      ),
    ),
  )
  for (const { entry, parameters } of everySample()) {
    const known = new Set(entry.intentSchema.fields.flatMap(({ jsonName, name }) => [jsonName, name]))
    const decoys = [...everyMember].filter(([name]) => !known.has(name))
    const { ignored, ...words } = wordsOf(entry.type, { ...Object.fromEntries(decoys), ...parameters })
    const { ignored: none, ...expected } = wordsOf(entry.type, parameters)
    t.same(words, expected, entry.type)
    t.same(none, [])
    t.same(new Set(ignored), new Set(decoys.map(([name]) => `parameters.${name}`)))
  }
})

t.test("every sentence says something of its request, where the activity has members", async (t) => {
  for (const { entry, parameters, leaves } of everySample()) {
    const { sentence } = wordsOf(entry.type, parameters)
    if (leaves.length === 0 || UNTOLD.has(entry.intentName)) continue
    const said = leaves.some(({ value }) => sentence.includes(String(value)))
    t.ok(said, `${entry.type}: ${sentence}`)
  }
})

/** Sentences of requests whose sample cannot be read, or whose only member is yes or no. */
const UNTOLD = new Set([
  "deleteSubOrganizationIntent",
  "ethSendRawTransactionIntent",
  "ethUndelegate7702Intent",
])

function optionalMembersOf({ intentSchema }: ActivityEntry, parameters: Json): string[] {
  return intentSchema.fields
    .filter((field) => !hasOption(field, ruleOption) || !getOption(field, ruleOption).required)
    .map(({ jsonName }) => jsonName)
    .filter((jsonName) => jsonName in parameters)
}
