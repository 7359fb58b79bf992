import { randomBytes, randomUUID } from "node:crypto"
import { ScalarType } from "@bufbuild/protobuf"
import t from "tap"
import type { OperationEntry } from "../../../proto/declared-operations.ts"
import { queryPaths } from "../../../proto/operations.ts"
import { ReadFault } from "../../../proto/read.ts"
import { misspellingCheck } from "../../../proto/unknown-members.ts"
import { StrictJsonError } from "../../../proto/strict-json.ts"
import { answerQuery, type QueryDeps } from "../../../services/api/queries/shared/answer-query.ts"
import { readSession } from "../../../services/api/store/sessions.ts"
import { QuerySlots } from "../../../services/api/queries/shared/query-slots.ts"
import { StoredOrganization } from "../../../services/api/store/stored-organization.ts"
import { readStampHeaders } from "../../../signer/core/stamp/read-stamp.ts"
import { Refusal } from "../../../signer/core/refusal.ts"
import { ApiError } from "../../../services/common/api-error.ts"
import { Passkey } from "../../harness/authenticator.ts"
import { newKey, stampBy, type Stamper } from "../../harness/stamper.ts"
import { asRoot, setup } from "../setup.ts"
import { ofRequest, type WireOrder } from "./alterations.ts"
import { somePlaces } from "./sweep.ts"

/** Faults of a body, which the API answers with 400. */
const READING = [ReadFault, StrictJsonError, ApiError]

const served = [...queryPaths.values()].filter((operation) => operation.served)

t.test("A8: an altered query is refused, or read as the unaltered one for the same user", async (t) => {
  const { boundary, client, acme } = await setup(t)
  const other = await client.createOrganization("Other")
  const passkey = new Passkey()
  const credentials = { userId: acme.rootUserId, authenticators: [passkey.create()] }
  await asRoot({ client, acme }).submit("CREATE_AUTHENTICATORS_V2", credentials)
  const session = await client.login(acme, acme.root)
  const sessions = new Map([
    [session.key.publicKeyHex, readSession({ id: randomUUID(), bytes: session.record })],
  ])
  const deps = depsOf(client.documents, sessions, boundary.nowMs())

  const figures = new Map<string, number>()
  const count = (what: string) => figures.set(what, (figures.get(what) ?? 0) + 1)
  let start = 0
  for (const operation of served)
    for (const stamper of [acme.root, passkey, session.key]) {
      const make = (organizationId: string, by: Stamper) => queryBy(by, bodyOf(operation, organizationId))
      const order = make(acme.organizationId, stamper)
      const another = make(other.organizationId, other.root)
      const older = make(acme.organizationId, newKey())
      const expected = await answerTo(operation, order, deps)
      t.ok(expected.seen, `${operation.path}: the unaltered query`)
      for (const { region, how, order: altered } of ofRequest(
        { order, another, older },
        somePlaces(1, start++),
      )) {
        const { seen, refused } = await answerTo(operation, altered, deps)
        count(refused ?? "read as the unaltered query")
        const isSameBody = Buffer.compare(altered.body, order.body) === 0
        if (seen !== undefined && (seen !== expected.seen || !isSameBody))
          t.fail(`${operation.path}: ${region} ${how} is read as ${seen}`)
      }
    }
  for (const [what, sum] of figures) t.comment(`${sum} ${what}`)
  t.ok(served.length > 30)
})

/** The arguments of a query: the caller, the organization and the request. */
const describe = (request: unknown, context: { organization: { id: string }; userId: string }) =>
  JSON.stringify({ request, organizationId: context.organization.id, userId: context.userId })

async function answerTo(
  operation: OperationEntry,
  { body, xStamp, xStampWebauthn }: WireOrder,
  deps: QueryDeps,
): Promise<{ seen?: string; refused?: string }> {
  const stamps = { xStamp, xStampWebauthn, xStampAttested: "" }
  const request = {
    body: Buffer.from(body),
    headers: {},
    session: "",
    state: {} as never,
    admit: async () => undefined,
    onUnknown: misspellingCheck(),
    endPageAt: () => undefined,
  }
  try {
    const stamped = { ...stamps, stamp: readStampHeaders(stamps) }
    return { seen: await answerQuery(operation, describe, { ...request, stamped }, deps) }
  } catch (error) {
    if (error instanceof Refusal) return { refused: error.code }
    if (READING.some((fault) => error instanceof fault)) return { refused: (error as Error).name }
    throw error
  }
}

/** Every member that names something has an id, so that a member can be exchanged. */
function bodyOf({ input }: OperationEntry, organizationId: string): string {
  const members = input.fields
    .filter(
      ({ fieldKind, scalar, jsonName }) =>
        fieldKind === "scalar" &&
        scalar === ScalarType.STRING &&
        /Id$|^(appName|ephemeralKey|address|caip2|oidcToken|from|to|filterType|filterValue|nonce|oldSize)$/.test(
          jsonName,
        ),
    )
    .map(({ jsonName }) => [jsonName, valueOf(jsonName)])
  return JSON.stringify({ ...Object.fromEntries(members), organizationId })
}

function valueOf(member: string): string {
  if (member === "appName") return "signer"
  if (member === "address") return `0x${randomBytes(20).toString("hex")}`
  if (member === "caip2") return "eip155:1"
  if (member === "filterType") return "EMAIL"
  if (member === "filterValue") return "ann@example.com"
  if (member === "nonce") return "0c".repeat(16)
  if (member === "oldSize") return "0"
  if (member === "oidcToken") return "header.payload.signature"
  return member === "ephemeralKey" ? newKey().publicKeyHex : randomUUID()
}

function queryBy(stamper: Stamper, body: string): WireOrder {
  const none = { xStamp: "", xStampWebauthn: "", documents: [], records: [], fetched: [] }
  return { ...none, body: Buffer.from(body), ...stampBy(stamper, body) }
}

/** The stores of the API tier over the documents that the signer returned. No query of this test reads a table. */
function depsOf(
  documents: ReadonlyMap<string, Uint8Array>,
  sessions: ReadonlyMap<string, ReturnType<typeof readSession>>,
  nowMs: number,
): QueryDeps {
  const load = async (id: string) => {
    const document = documents.get(id)
    return document && new StoredOrganization(document)
  }
  const find = async (organization: StoredOrganization, credential: string) => {
    const session = sessions.get(credential)
    const user = session && organization.user(session.userId)
    return organization.credentialOwner(credential) ?? (user && { user, apiKey: session })
  }
  return {
    sql: (async () => []) as never,
    organizations: { refresh: load, catchUp: load } as never,
    credentials: { find, catchUp: find } as never,
    nodes: undefined as never,
    log: undefined as never,
    signer: undefined as never,
    links: {},
    notarizer: undefined as never,
    requireAttestedRead: undefined as never,
    onRampStatus: undefined as never,
    verifyIdToken: undefined as never,
    bootProofs: {} as never,
    slots: new QuerySlots(),
    activityTimes: "both" as never,
    now: () => nowMs,
  }
}
