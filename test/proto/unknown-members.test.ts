import { hash } from "node:crypto"
import type { DescMessage } from "@bufbuild/protobuf"
import t from "tap"
import { activityTypes } from "../../proto/catalog.ts"
import { planOf } from "../../proto/read-plan.ts"
import { ReadFault, readMessage } from "../../proto/read.ts"
import { queryPaths } from "../../proto/operations.ts"
import { MAX_UNKNOWN_NAMES, misspellingCheck } from "../../proto/unknown-members.ts"
import { field, Label, tinyMessage, Type } from "./tiny-schema.ts"

const tiny = tinyMessage(
  field("condition", Type.STRING),
  field("to", Type.STRING),
  field("child", Type.MESSAGE, { typeName: ".tiny.Tiny" }),
  field("children", Type.MESSAGE, { label: Label.REPEATED, typeName: ".tiny.Tiny" }),
)

/** Sentence of the refusal; undefined: the body is read. */
function refusalOf(schema: DescMessage, json: unknown): string | undefined {
  try {
    readMessage(schema, json, "parameters", misspellingCheck())
    return undefined
  } catch (error) {
    if (error instanceof ReadFault) return error.sentence
    throw error
  }
}

t.test("a member within two edits of a known one is refused by name, at every depth", async (t) => {
  const sentence = (path: string) =>
    `\`${path}\` is unknown; did you mean \`condition\`? Correct the name or leave the member out`
  t.equal(refusalOf(tiny, { conditions: "x" }), sentence("parameters.conditions"))
  t.equal(refusalOf(tiny, { conditoin: "x" }), sentence("parameters.conditoin"))
  t.equal(refusalOf(tiny, { Conditions: "x" }), sentence("parameters.Conditions"))
  t.equal(refusalOf(tiny, { condition: "x", conditon: "" }), sentence("parameters.conditon"), "beside it")
  t.equal(refusalOf(tiny, { child: { cndition: 1 } }), sentence("parameters.child.cndition"))
  const nested = { children: [{}, { child: { conditin: 1 } }] }
  t.equal(refusalOf(tiny, nested), sentence("parameters.children[1].child.conditin"))
})

t.test("other unknown members, and those that are null, are not refused", async (t) => {
  for (const json of [
    { condition: "x", nickname: "y" },
    { conditionsss: "three edits" },
    { conditions: null },
    { id: "no character is that of `to`" },
  ])
    t.equal(refusalOf(tiny, json), undefined, JSON.stringify(json))
})

t.test("externalSignerPubkey is refused at every depth", async (t) => {
  const expected = "is not implemented; leave it out"
  t.equal(refusalOf(tiny, { externalSignerPubkey: "02" }), `\`parameters.externalSignerPubkey\` ${expected}`)
  const nested = { children: [{ external_signer_pubkey: "02" }] }
  t.equal(refusalOf(tiny, nested), `\`parameters.children[0].external_signer_pubkey\` ${expected}`)
})

/** That many names, no two alike and none near a known one. */
const strangers = (count: number) =>
  Array.from({ length: count }, (_, index) => hash("sha256", String(index), "hex"))

const asMembers = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, "x"]))

t.test(
  "a body with more unknown names than are compared is refused, and so none passes uncompared",
  async (t) => {
    const sentence =
      "the body has more than 100 names of members that the operation does not know; leave those members out"
    const most = asMembers(strangers(MAX_UNKNOWN_NAMES))
    t.equal(refusalOf(tiny, most), undefined)
    t.equal(refusalOf(tiny, { ...most, another: "x" }), sentence)
    t.equal(refusalOf(tiny, { ...most, conditions: "x" }), sentence, "a misspelt one behind them")
    t.equal(refusalOf(tiny, { ...most, child: { conditions: "x" } }), sentence, "at any depth")
    t.match(refusalOf(tiny, asMembers(["conditions", ...strangers(16_000)])), /did you mean `condition`/)
  },
)

t.test("a name that is unknown in many objects of one type is compared once, and few others", async (t) => {
  let comparisons = 0
  const counted = (...names: string[]) => ({
    keys: () => {
      comparisons += 1
      return names
    },
  })
  const check = misspellingCheck()
  const [condition, other] = [counted("condition"), counted("comment")]
  for (let index = 0; index < 16_000; index++) check(`parameters.users[${index}]`, "nickname", condition)
  t.equal(comparisons, 1)
  t.throws(() => check("parameters", "comments", other), { message: /did you mean `comment`/ })
  t.equal(comparisons, 2)
  t.throws(() => {
    for (const name of strangers(84_000)) check("parameters", name, condition)
  }, ReadFault)
  t.equal(comparisons, MAX_UNKNOWN_NAMES + 1, "those of the refused member too")
  const children = Array.from({ length: 5000 }, () => ({ nickname: "x" }))
  t.equal(refusalOf(tiny, { children }), undefined)
})

t.test("every member of every request, misspelt, is refused or has another meaning", async (t) => {
  let refused = 0
  const seen = new Set<DescMessage>()
  const visit = (schema: DescMessage) => {
    if (seen.has(schema) || schema.typeName.startsWith("google.")) return
    seen.add(schema)
    const { fields } = planOf(schema)
    for (const { jsonName, message } of fields.values()) {
      for (const misspelt of [`${jsonName}s`, jsonName.slice(1), exchanged(jsonName)]) {
        if (fields.has(misspelt) || misspelt.length < 2) continue
        const sentence = refusalOf(schema, { [misspelt]: "x" })
        if (sentence?.includes("did you mean")) refused++
        else t.fail(`${schema.typeName}: ${misspelt} is not refused`)
      }
      if (message) visit(message)
    }
  }
  for (const { intentSchema } of activityTypes.values()) visit(intentSchema)
  for (const { input } of queryPaths.values()) visit(input)
  t.ok(refused > 1000, `${refused} misspelt members`)
})

/** The text with its middle two characters exchanged; with a character in front where they are the same. */
function exchanged(text: string): string {
  const middle = Math.max(1, text.length >> 1)
  const other =
    text.slice(0, middle - 1) + text.charAt(middle) + text.charAt(middle - 1) + text.slice(middle + 1)
  return other === text ? `x${text}` : other
}
