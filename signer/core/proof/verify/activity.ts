import { type DescMessage, fromJson, toBinary } from "@bufbuild/protobuf"
import { ResultSchema } from "../../../../proto/gen/countersign/api/v1/activities_pb.ts"
import { writeJson } from "../../../../proto/write.ts"
import { isJsonObject, type JsonMembers } from "../../../../proto/strict-json.ts"
import { activityTypes } from "../../../../proto/catalog.ts"
import { isSameJson, objectIn, textIn } from "./json.ts"
import { digestOf, readRequest } from "./request.ts"
import { readVotes, type Selection, type ShownVote } from "./votes.ts"

/** An activity as the API tier showed it. Nothing of it is trusted before it is compared with a proof. */
export class ShownActivity {
  readonly json: JsonMembers
  readonly id: string
  readonly organizationId: string
  readonly type: string
  readonly status: string
  /** The claimed SHA-256 of the body, lower-case hexadecimal; "" if it is not in the form that activities have. */
  readonly fingerprint: string
  readonly votes: readonly ShownVote[]

  constructor(json: JsonMembers) {
    this.json = json
    this.id = textIn(json, "id")
    this.organizationId = textIn(json, "organizationId")
    this.type = textIn(json, "type")
    this.status = textIn(json, "status")
    this.fingerprint = FINGERPRINT.exec(textIn(json, "fingerprint"))?.[1] ?? ""
    this.votes = readVotes(json)
  }

  /** The claimed submitter: the user of the first vote. */
  get submitterId(): string {
    return this.votes[0]?.userId ?? ""
  }

  /** The body, from the first vote, which is the submission. Undefined if the text does not have the fingerprint. */
  get body(): string | undefined {
    const message = this.votes[0]?.message ?? ""
    return this.#hasFingerprint(message) ? message : undefined
  }

  /**
   * The result as the signer serialized it; undefined before there is one. "unreadable": not a result, or not in the API's
   * own spelling. Protobuf accepts several spellings of a member, but clients read only one.
   */
  result(): Uint8Array | undefined | "unreadable" {
    const { result = {} } = this.json
    if (!isJsonObject(result)) return "unreadable"
    if (Object.keys(result).length === 0) return undefined
    try {
      const read = fromJson(ResultSchema, result as never)
      return isSameJson(writeJson(ResultSchema, read), result) ? toBinary(ResultSchema, read) : "unreadable"
    } catch {
      return "unreadable"
    }
  }

  /** Organizations that the addresses may belong to: the activity's own, and the one it created. */
  get organizationIds(): string[] {
    const created = Object.values(objectIn(this.json, "result"))
      .filter(isJsonObject)
      .map((result) => textIn(result, "subOrganizationId"))
    return [this.organizationId, ...created.filter((id) => id !== "")]
  }

  /** All addresses in the result. */
  get addresses(): string[] {
    return addressesIn(objectIn(this.json, "result"))
  }

  /** True if the addresses belong to stored keys; otherwise they were only computed. */
  get storesAddresses(): boolean {
    return !Object.values(objectIn(this.json, "intent")).some(
      (intent) => isJsonObject(intent) && intent["persist"] === false,
    )
  }

  /**
   * Number of addresses that were created for private keys and that the result does not list: the result of
   * CREATE_PRIVATE_KEYS holds ids alone.
   */
  get unlistedAddresses(): number {
    const entry = activityTypes.get(this.type)
    if (entry?.resultSchema === undefined || listsAddresses(entry.resultSchema)) return 0
    const isDone = Object.keys(objectIn(this.json, "result")).length > 0
    return isDone ? addressFormatsIn(objectIn(this.json, "intent")) : 0
  }

  /**
   * True if the body has the type shown and exactly the one intent shown. The organization is compared with the decision
   * instead: a login may name the parent of the organization it is for.
   */
  hasRequestOf(body: string): boolean {
    const request = readRequest(body)
    return request?.type === this.type && isSameJson(request.intent, this.json["intent"])
  }

  /** The relation of a stamped text: the body itself, or a vote that names the fingerprint. Undefined: unrelated. */
  selectionOf(message: string): Selection | undefined {
    if (this.#hasFingerprint(message)) return "VOTE_SELECTION_APPROVED"
    const vote = readRequest(message)
    if (vote?.organizationId !== this.organizationId) return undefined
    const [intent] = Object.values(vote.intent)
    if (!isJsonObject(intent) || textIn(intent, "fingerprint").replace(/^sha256:/, "") !== this.fingerprint)
      return undefined
    return SELECTIONS.get(vote.type)
  }

  #hasFingerprint(body: string): boolean {
    return digestOf(body) === this.fingerprint
  }
}

const FINGERPRINT = /^sha256:([0-9a-f]{64})$/

const SELECTIONS: ReadonlyMap<string, Selection> = new Map([
  ["ACTIVITY_TYPE_APPROVE_ACTIVITY", "VOTE_SELECTION_APPROVED"],
  ["ACTIVITY_TYPE_REJECT_ACTIVITY", "VOTE_SELECTION_REJECTED"],
])

/** Members of this name hold addresses at any depth: texts, or objects with one. */
function addressesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(addressesIn)
  if (!isJsonObject(value)) return []
  return Object.entries(value).flatMap(([name, member]) => {
    if (name !== "addresses" || !Array.isArray(member)) return addressesIn(member)
    return member.map((one) => (isJsonObject(one) ? textIn(one, "address") : String(one)))
  })
}

/** True if messages of this type hold addresses at any depth. */
function listsAddresses(schema: DescMessage): boolean {
  return schema.fields.some(
    ({ localName, message }) =>
      localName === "addresses" ||
      (message !== undefined && isCountersignMessage(message) && listsAddresses(message)),
  )
}

/** Google's messages refer to themselves. */
function isCountersignMessage({ typeName }: DescMessage): boolean {
  return typeName.startsWith("countersign.")
}

/** Number of addresses that an intent asks for by their formats, at any depth. */
function addressFormatsIn(value: unknown): number {
  if (Array.isArray(value)) return value.reduce((sum: number, item) => sum + addressFormatsIn(item), 0)
  if (!isJsonObject(value)) return 0
  return Object.entries(value).reduce(
    (sum, [name, member]) =>
      sum + (name === "addressFormats" && Array.isArray(member) ? member.length : addressFormatsIn(member)),
    0,
  )
}
