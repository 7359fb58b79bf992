// All activity types and all members that they do not have: what is refused, what is ignored, and what counts as absent.
import type { DescMessage } from "@bufbuild/protobuf"
import t from "tap"
import { type ActivityEntry, activityTypes } from "../../../../proto/catalog.ts"
import { planOf } from "../../../../proto/read-plan.ts"
import { ENVELOPE_MEMBERS, misspellingCheck } from "../../../../proto/unknown-members.ts"
import { readSubmission } from "../../../../services/api/submit/envelope.ts"
import { Refusal } from "../../../../signer/core/refusal.ts"
import { CLIENT_MEMBERS } from "../../../../signer/core/request/client-members.ts"
import { intentNames } from "../../../../signer/core/request/intent-names.ts"
import { readBody } from "../../../../signer/core/request/read-body.ts"
import { memberRule } from "../../../../signer/core/request/unknown-members.ts"
import { everySample, inSnakeCase, type Json } from "../words/samples.ts"
import { isLong } from "../../../harness/long.ts"

const rule = memberRule(new Set())
const all = [...activityTypes.values()]

/** The short form gives each place one of so many names, other ones in the next activity. */
const STRIDE = isLong ? 1 : 5

/** A name that no activity has, and that is no misspelling of any. */
const UNHEARD = "zzUnheardOfRemark"

type Body = Json & { parameters: Json }

const bodyOf = (type: string, parameters: Json): Body => ({
  type,
  timestampMs: "1700000000000",
  organizationId: "0198c0de-0000-7000-8000-00000000000f",
  parameters,
})

const bytesOf = (body: Json) => Buffer.from(JSON.stringify(body))

/** The reading, or the refusal, of the signer and of the API tier. */
function readings(body: Json) {
  const bytes = bytesOf(body)
  return {
    signer: outcomeOf(() => {
      const { clean, ignored, parameters } = readBody(bytes, rule)
      return { clean, ignored, parameters }
    }),
    api: outcomeOf(() => {
      const { intent, parameters } = readSubmission(bytes, all, misspellingCheck)
      return { clean: Object.values(JSON.parse(intent) as Json)[0], parameters }
    }),
  }
}

function outcomeOf<T>(
  read: () => T,
): { read: T; refused?: undefined } | { read?: undefined; refused: Refusal } {
  try {
    return { read: read() }
  } catch (error) {
    if (error instanceof Refusal) return { refused: error }
    throw error
  }
}

const samples = everySample().filter(({ entry }) => entry.served)

/** One sample of each type. */
const first = [...new Map(samples.map((sample) => [sample.entry.type, sample])).values()]

/** An object of a body: its path, its message (undefined: the envelope), and the body with other members in it. */
type Place = {
  path: string
  schema: DescMessage | undefined
  withMember: (name: string, value: unknown) => Json
}

/** All objects of a body that the contract describes. */
function placesOf(entry: ActivityEntry, parameters: Json): Place[] {
  const body = bodyOf(entry.type, parameters)
  const envelope: Place = {
    path: "",
    schema: undefined,
    withMember: (name, value) => ({ ...body, [name]: value }),
  }
  const visit = (schema: DescMessage, object: Json, path: string, put: (other: Json) => Json): Place[] => {
    const withMember = (name: string, value: unknown) => put({ ...object, [name]: value })
    const nested = [...new Set(planOf(schema).fields.values())].flatMap(({ jsonName, message, shape }) => {
      const value = object[jsonName]
      if (message === undefined || message.typeName.startsWith("google.") || value === undefined) return []
      const putMember = (other: unknown) => put({ ...object, [jsonName]: other })
      if (shape === "single") return visit(message, value as Json, `${path}.${jsonName}`, putMember)
      const items = value as Json[]
      const putItem = (other: Json) => putMember([other, ...items.slice(1)])
      return shape === "list" ? visit(message, items[0] ?? {}, `${path}.${jsonName}[0]`, putItem) : []
    })
    return [{ path, schema, withMember }, ...nested]
  }
  return [
    envelope,
    ...visit(entry.intentSchema, parameters, "parameters", (other) => bodyOf(entry.type, other)),
  ]
}

const knownAt = ({ schema }: Place) => (schema === undefined ? ENVELOPE_MEMBERS : planOf(schema).fields)

const pathOf = ({ path }: Place, name: string) => (path === "" ? name : `${path}.${name}`)

t.test(
  "W28: the name of another activity's member is refused at every place of every activity",
  async (t) => {
    const seen = new Set<DescMessage | undefined>()
    let cases = 0
    for (const [turn, { entry, parameters }] of samples.entries()) {
      // A decoy is refused before other members are missed. Messages within others are the same ones in many activities.
      const outer = seen.has(entry.intentSchema) ? [] : placesOf(entry, {})
      const nested = placesOf(entry, parameters).filter(({ path }) => /[.[]/.test(path))
      const fresh = [...outer, ...nested.filter(({ schema }) => !seen.has(schema))]
      for (const { schema } of fresh) seen.add(schema)
      const passed: string[] = []
      for (const place of fresh)
        for (const [index, name] of [...intentNames()].entries()) {
          if (knownAt(place).has(name) || (index + turn) % STRIDE !== 0) continue
          cases += 1
          const { refused } = outcomeOf(() => readBody(bytesOf(place.withMember(name, "x")), rule))
          if (refused?.code !== "REQUEST_INVALID" || refused.field !== pathOf(place, name))
            passed.push(`${pathOf(place, name)}: ${refused?.message ?? "read"}`)
        }
      t.same(passed, [], entry.type)
    }
    t.ok(cases > 50_000 / STRIDE, `${cases} cases`)
  },
)

t.test("W28: a member that no activity has is refused or ignored, as its activity declares", async (t) => {
  for (const { entry, parameters } of first)
    for (const place of placesOf(entry, parameters)) {
      const path = pathOf(place, UNHEARD)
      const { signer, api } = readings(place.withMember(UNHEARD, "x"))
      t.notOk(api.refused, "the API tier leaves it to the signer")
      if (entry.ignoresUnknownMembers) t.same(signer.read?.ignored, [path], `${entry.type} ${path}`)
      else t.match(signer.refused, { code: "REQUEST_INVALID", field: path }, `${entry.type} ${path}`)
    }
})

t.test("W28: activities that sign, send, export, import or change rules ignore no member", async (t) => {
  const guarded = all.filter(
    ({ action, resource }) =>
      ["SIGN", "EXPORT", "IMPORT", ""].includes(action) ||
      /^(?:USER|CREDENTIAL|INVITATION|ORGANIZATION|CONFIG|AUTH_PROXY|RECOVERY|.*POLICY|.*CREDENTIALS)$/.test(
        resource,
      ) ||
      /^(?:VELOCITY_CONTROL|SESSION_PROFILE|SMART_CONTRACT_INTERFACE|SPONSORSHIP)$/.test(resource),
  )
  t.ok(guarded.length > 70)
  for (const { type, ignoresUnknownMembers } of guarded) t.notOk(ignoresUnknownMembers, type)
})

t.test("W28: null is absence, for members that no activity has and for those of others", async (t) => {
  for (const { entry, parameters } of first) {
    const plain = readBody(bytesOf(bodyOf(entry.type, parameters)), rule)
    for (const place of placesOf(entry, parameters)) {
      const other = [...intentNames()].find((name) => !knownAt(place).has(name)) ?? ""
      for (const name of [UNHEARD, other]) {
        const { signer, api } = readings(place.withMember(name, null))
        t.same(signer.read, { clean: plain.clean, parameters: plain.parameters, ignored: [] }, entry.type)
        t.same(api.read?.clean, plain.clean)
      }
    }
  }
})

t.test("W28: both spellings are read alike, and both at once are refused unless one is null", async (t) => {
  let doubled = 0
  for (const { entry, parameters } of samples) {
    const snake = inSnakeCase(entry.intentSchema, parameters)
    const [one, other] = [parameters, snake].map((sent) => readings(bodyOf(entry.type, sent)))
    t.same(other?.signer.read, one?.signer.read, entry.type)
    t.same(other?.api.read, one?.api.read)
    for (const { jsonName, name } of entry.intentSchema.fields) {
      if (jsonName === name || parameters[jsonName] === undefined) continue
      doubled += 1
      const { signer, api } = readings(bodyOf(entry.type, { ...parameters, [name]: snake[name] }))
      const expected = { code: "REQUEST_INVALID", field: `parameters.${jsonName}` }
      t.match(signer.refused, { ...expected, message: /is sent twice/ }, `${entry.type} ${name}`)
      t.match(api.refused, expected)
      const { signer: once } = readings(bodyOf(entry.type, { ...parameters, [name]: null }))
      t.same(once.read, one?.signer.read)
    }
  }
  t.ok(doubled > 200, `${doubled} members under both names`)
})

t.test("W28: the API tier refuses nothing that the signer reads, and reads it alike", async (t) => {
  const names = [...intentNames(), UNHEARD, "externalSignerPubkey", "organization_id", "signWit"]
  for (const [turn, { entry, parameters }] of first.entries()) {
    const differing: string[] = []
    const places = placesOf(entry, parameters)
    // A ninth of the names for each type: another ninth for the next.
    for (const [index, name] of names.entries()) {
      const place = places[index % places.length]
      if (index % 9 !== turn % 9 || place === undefined || knownAt(place).has(name)) continue
      const { signer, api } = readings(place.withMember(name, "x"))
      const isAlike =
        signer.read === undefined
          ? api.refused === undefined || api.refused.message === signer.refused.message
          : t.same(api.read, { clean: signer.read.clean, parameters: signer.read.parameters })
      if (!isAlike) differing.push(pathOf(place, name))
    }
    t.same(differing, [], entry.type)
  }
})

t.test(
  "W28: members that published clients send are ignored in every activity, at their place alone",
  async (t) => {
    for (const { entry, parameters } of first)
      for (const { place } of CLIENT_MEMBERS) {
        const name = place.replace("parameters.", "")
        const { signer, api } = readings(bodyOf(entry.type, { ...parameters, [name]: true }))
        t.same(signer.read?.ignored, [place], entry.type)
        t.notOk(api.refused)
      }
    const nested = { accounts: [{ generateAppProofs: true }] }
    const { signer } = readings(bodyOf("ACTIVITY_TYPE_CREATE_WALLET_ACCOUNTS", nested))
    t.ok(signer.refused)
  },
)

t.test("W28: sentences say which activity has the member, and repeat no long name", async (t) => {
  const sentenceOf = (type: string, parameters: Json, more: Json = {}) =>
    readings({ ...bodyOf(`ACTIVITY_TYPE_${type}`, parameters), ...more }).signer.refused?.message
  const call = { to: "0xaa", value: "1" }
  t.equal(
    sentenceOf("ETH_SEND_TRANSACTION_V2", { from: "0xbb", caip2: "eip155:1", to: "0xcc", calls: [call] }),
    "invalid request body: `parameters.to` is no member of this object: ACTIVITY_TYPE_ETH_SEND_TRANSACTION_V2 has it as " +
      "`parameters.calls.to`; move it there or leave it out",
  )
  t.equal(
    sentenceOf("SIGN_TRANSACTION_V2", { sign_with: "a", payload: "Log in" }),
    "invalid request body: `parameters.payload` is no member of ACTIVITY_TYPE_SIGN_TRANSACTION_V2 but of " +
      "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD; leave it out or send that type",
  )
  t.equal(
    sentenceOf("CREATE_USER_TAG", {}, { [UNHEARD]: 1 }),
    `invalid request body: \`${UNHEARD}\` is no member of ACTIVITY_TYPE_CREATE_USER_TAG, which takes no others; leave it out`,
  )
  const long = sentenceOf("CREATE_USER_TAG", { ["y".repeat(10_000)]: 1 }) ?? ""
  t.match(long, /`parameters` has a member that ACTIVITY_TYPE_CREATE_USER_TAG does not know/)
  t.ok(long.length < 300)
  const [cut] = readBody(
    bytesOf(
      bodyOf("ACTIVITY_TYPE_CREATE_USER_TAG", { userTagName: "t", userIds: [], ["y".repeat(10_000)]: 1 }),
    ),
  ).ignored
  t.equal(cut, `parameters.${"y".repeat(64)}`)
})
