import { createHash } from "node:crypto"
import { fromJson, toBinary } from "@bufbuild/protobuf"
import { ResultSchema } from "../../../proto/gen/countersign/api/v1/activities_pb.ts"
import { isJson, type Json, objectIn, objectsIn, readObject, textIn } from "./json.ts"

/** An activity as somebody was shown it. Nothing of it is believed before it is compared with a proof. */
export class ShownActivity {
  readonly json: Json
  readonly id: string
  readonly organizationId: string
  readonly type: string
  readonly status: string
  /** SHA-256 of its body as it says, lower-case hexadecimal. */
  readonly fingerprint: string

  constructor(json: Json) {
    this.json = json
    this.id = textIn(json, "id")
    this.organizationId = textIn(json, "organizationId")
    this.type = textIn(json, "type")
    this.status = textIn(json, "status")
    this.fingerprint = textIn(json, "fingerprint").replace(/^sha256:/, "")
  }

  /** Who submitted it, as it says: whoever cast the first vote. */
  get submitterId(): string {
    const [first] = objectsIn(this.json, "votes")
    return first === undefined ? "" : textIn(first, "userId")
  }

  /** Whose vote this stamp is, as it says. */
  voterOf(message: string, signature: string): string | undefined {
    const vote = objectsIn(this.json, "votes").find(
      (one) => textIn(one, "message") === message && textIn(one, "signature") === signature,
    )
    return vote && textIn(vote, "userId")
  }

  /** Its result as the signer serialized it; undefined while it has none, "unreadable" where it is no result. */
  result(): Uint8Array | undefined | "unreadable" {
    const result = objectIn(this.json, "result")
    if (Object.keys(result).length === 0) return undefined
    try {
      return toBinary(ResultSchema, fromJson(ResultSchema, result as never))
    } catch {
      return "unreadable"
    }
  }

  /** Organizations that its addresses may be of: its own, and one that it founded. */
  get organizationIds(): string[] {
    const founded = Object.values(objectIn(this.json, "result"))
      .filter(isJson)
      .map((result) => textIn(result, "subOrganizationId"))
    return [this.organizationId, ...founded.filter((id) => id !== "")]
  }

  /** All addresses in its result. */
  get addresses(): string[] {
    return addressesIn(objectIn(this.json, "result"))
  }

  /** Whether its addresses are those of keys that were stored; others were only computed. */
  get storesAddresses(): boolean {
    return !Object.values(objectIn(this.json, "intent")).some(
      (intent) => isJson(intent) && intent["persist"] === false,
    )
  }

  /**
   * Whether this text is the body that it came from: by its digest, its type and its parameters. The organization is the
   * decision's to say: a login may name the parent of the one that it is for.
   */
  isOfBody(body: string): boolean {
    const json = readObject(body)
    const [intent] = Object.values(objectIn(this.json, "intent"))
    return (
      json !== undefined &&
      createHash("sha256").update(body).digest("hex") === this.fingerprint &&
      textIn(json, "type") === this.type &&
      isWithin(intent, json["parameters"])
    )
  }

  /** Whether this text approves it by its fingerprint. */
  isApprovedBy(message: string): boolean {
    const json = readObject(message)
    if (json === undefined || textIn(json, "type") !== "ACTIVITY_TYPE_APPROVE_ACTIVITY") return false
    const named = textIn(objectIn(json, "parameters"), "fingerprint").replace(/^sha256:/, "")
    return named === this.fingerprint && textIn(json, "organizationId").toLowerCase() === this.organizationId
  }
}

/** Intents echo the parameters without what is null or unknown: whatever they show was sent. */
function isWithin(shown: unknown, sent: unknown): boolean {
  if (Array.isArray(shown)) {
    return (
      Array.isArray(sent) &&
      shown.length === sent.length &&
      shown.every((value, index) => isWithin(value, sent[index]))
    )
  }
  if (!isJson(shown)) return shown === sent
  return (
    isJson(sent) &&
    Object.entries(shown).every(([name, value]) => isWithin(value, sent[name] ?? sent[snake(name)]))
  )
}

/** Bodies may write members in either of the two spellings of the protobuf JSON mapping. */
function snake(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

/** Members that are called so hold addresses wherever they stand: texts, or objects with one. */
function addressesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(addressesIn)
  if (!isJson(value)) return []
  return Object.entries(value).flatMap(([name, member]) => {
    if (name !== "addresses" || !Array.isArray(member)) return addressesIn(member)
    return member.map((one) => (isJson(one) ? textIn(one, "address") : String(one)))
  })
}
