import { apiKey, ethereumAccount, signParams, userParams } from "../harness/api-client.ts"
import { fingerprintOf, stampBy, type StampHeader, type TestKey } from "../harness/stamper.ts"
import { subOrganization } from "../harness/sub-organization.ts"
import { chooseAct, TYPES } from "./choose-act.ts"
import type { Act, Organization, Request, World } from "./oracle.ts"
import { textOf } from "./rules.ts"
import { seededKey } from "./seeded.ts"
import type { OrderStep } from "./steps.ts"
import type { Sent } from "./messages.ts"

/** A request with its body and stamp. */
export type Prepared = { request: Request; sent: Sent }

/** The time at which a request is prepared. `stampMs` gives each body another time. */
export type Now = { nowMs: number; stampMs: () => number }

/** The payload of every signature in a run. */
export const PAYLOAD = "5a".repeat(32)

/** The users' side: their keys, and every request that they made. */
export class Requests {
  readonly #seed: string
  readonly #keys = new Map<string, TestKey>()
  readonly #history: Prepared[] = []
  #names = 0

  constructor(seed: string) {
    this.#seed = seed
  }

  newKey(): TestKey {
    const key = seededKey(`${this.#seed} ${this.#keys.size}`)
    this.#keys.set(key.publicKeyHex, key)
    return key
  }

  stamp(publicKey: string, body: string): StampHeader {
    return stampBy(this.#keys.get(publicKey)!, body)
  }

  /** One of all requests so far; undefined: there is none. */
  earlier(which: number): Prepared | undefined {
    return this.#history[which % Math.max(1, this.#history.length)]
  }

  /** A new request of the user, organization and act that the step's numbers choose. */
  prepare(step: OrderStep, world: World, { nowMs, stampMs }: Now): Prepared {
    const organization = chooseOrganization(step, world)
    const keys = organization.users.flatMap((user) => {
      // Few stamps are made with expired sessions.
      const sessions = user.sessions.filter(({ expiresAtMs }) => nowMs < expiresAtMs || step.one % 16 === 0)
      return [...user.keys, ...sessions].map((key) => ({ user, ...key }))
    })
    const { user: actor, publicKey } = keys[step.actor % keys.length]!
    const newKey = () => this.newKey().publicKeyHex
    const act = chooseAct(step, { world, organization, actor, newKey })
    const prepared = this.ask(organization.organizationId, act, publicKey, stampMs())
    this.#history.push(prepared)
    return prepared
  }

  /** A new request, which `earlier` does not return. */
  ask(organizationId: string, act: Act, publicKey: string, timestampMs: number): Prepared {
    const type = act.is === "vote" ? `ACTIVITY_TYPE_${act.selection.toUpperCase()}_ACTIVITY` : TYPES[act.is]
    const parameters = this.#parametersOf(act)
    const body = JSON.stringify({ type, timestampMs: String(timestampMs), organizationId, parameters })
    const request = { organizationId, publicKey, fingerprint: fingerprintOf(body), timestampMs, type, act }
    return { request, sent: { body, stamp: this.stamp(publicKey, body) } }
  }

  #parametersOf(act: Act): object {
    const name = `n${(this.#names += 1)}`
    switch (act.is) {
      case "create-user":
        return { users: [userParams(name, this.#keys.get(act.publicKey)!)] }
      case "delete-user":
        return { userIds: [act.userId] }
      case "create-key":
        return { userId: act.userId, apiKeys: [apiKey(this.#keys.get(act.publicKey)!, name)] }
      case "delete-key":
        return { userId: act.userId, apiKeyIds: [act.keyId] }
      case "set-quorum":
        return { threshold: act.threshold, userIds: act.userIds }
      case "create-policy": {
        const { effect, condition, consensus } = act.policy
        const texts = { condition: textOf.condition(condition), consensus: textOf.consensus(consensus) }
        return { policyName: name, effect, notes: "", ...texts }
      }
      case "delete-policy":
        return { policyId: act.policyId }
      case "create-tag":
        return { userTagName: name, userIds: act.userIds }
      case "delete-tag":
        return { userTagIds: [act.tagId] }
      case "create-wallet":
        return { walletName: name, accounts: [ethereumAccount(0)] }
      case "create-account":
        return { walletId: act.walletId, accounts: [ethereumAccount(this.#names)] }
      case "create-child":
        return subOrganization([{ name: "root", key: this.#keys.get(act.publicKey)! }], { wallet: undefined })
      case "login":
        return { publicKey: act.publicKey, expirationSeconds: String(act.seconds) }
      case "sign":
        return signParams(act.address, PAYLOAD)
      case "vote":
        return { fingerprint: `sha256:${act.fingerprint}` }
      default:
        return act satisfies never
    }
  }
}

/** Half of all requests meet in one organization. */
function chooseOrganization({ organization }: OrderStep, world: World): Organization {
  const all = [...world.values()]
  return all[organization % 2 === 0 ? 0 : organization % all.length]!
}
