// The context of an activity has the base and the declared powers, and no way to the rest of the signer.
import { generateKeyPairSync } from "node:crypto"
import { create } from "@bufbuild/protobuf"
import t, { type Test } from "tap"
import {
  FetchStatementSchema,
  IssuerKeysSchema,
} from "../../../../../proto/gen/countersign/signer/v1/fetcher_pb.ts"
import { OrderSchema } from "../../../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import { memberRule } from "../../../../../signer/core/request/unknown-members.ts"
import type { Activity } from "../../../../../signer/enclave/activities/activity.ts"
import type { ActivityContext, PowerName } from "../../../../../signer/enclave/activities/context.ts"
import { activities } from "../../../../../signer/enclave/modules/index.ts"
import { logIn } from "../../../../../signer/enclave/modules/login/login.ts"
import { contextOf } from "../../../../../signer/enclave/execution/workspace/context.ts"
import { ISSUER_KEYS } from "../../../../../signer/enclave/execution/workspace/issuer-keys.ts"
import { Workspace } from "../../../../../signer/enclave/execution/workspace/workspace.ts"
import { readRequest } from "../../../../../signer/enclave/execution/state/request.ts"
import { authenticate } from "../../../../../signer/enclave/execution/steps/authenticate.ts"
import { Secret } from "../../../../../signer/core/crypto/secret.ts"
import { signParams } from "../../../../harness/api-client.ts"
import { stampWith } from "../../../../harness/stamper.ts"
import { setup } from "../../../../hostile/setup.ts"

const BASE = ["changes", "isByParent", "newId", "nowMs", "organization", "records", "userId"]

const POWERS = [...new Set([...activities.values()].flatMap(({ needs = [] }) => needs))]

/** Workspaces of one authenticated request: each activity that runs has one of its own. */
async function workspaces(t: Test) {
  const { boundary, client, acme, address } = await setup(t)
  const state = boundary.signer.state()
  const body = client.body("ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2", acme.organizationId, signParams(address))
  const documents = [client.documents.get(acme.organizationId)!]
  const order = create(OrderSchema, {
    body: Buffer.from(body),
    xStamp: stampWith(acme.root, body),
    documents,
  })
  const current = authenticate(readRequest(order, memberRule(new Set())), order, state)
  const { request, owner } = current
  const submitter = { userId: owner.user.userId, credential: owner }
  return {
    state,
    address,
    newWorkspace: () => new Workspace(request, submitter, { ...current, isByParent: false }, state),
  }
}

/** Names of a context's members. They are getters of its prototype, which has no further prototype. */
function membersOf(t: Test, context: object): string[] {
  const prototype = Object.getPrototypeOf(context) as object
  t.strictSame(Reflect.ownKeys(context), [])
  t.equal(Object.getPrototypeOf(prototype), null)
  t.ok(Object.isFrozen(context) && Object.isFrozen(prototype))
  return Reflect.ownKeys(prototype).map(String).toSorted()
}

t.test("W39: each activity's context has the base and the declared powers, and nothing else", async (t) => {
  const { newWorkspace } = await workspaces(t)
  t.ok(POWERS.length > 15)
  for (const [type, { needs = [] }] of activities) {
    const context = contextOf(newWorkspace(), needs) as { readonly [member: string]: unknown }
    t.strictSame(membersOf(t, context), [...BASE, ...needs].toSorted(), type)
    for (const power of POWERS)
      if (!needs.includes(power)) t.equal(context[power], undefined, `${type}: ${power}`)
    for (const power of needs) t.ok(Object.isFrozen(context[power]), `${type}: ${power} is frozen`)
  }
})

t.test("W39: what an activity creates has no more powers than new users and wallets need", async (t) => {
  const { newWorkspace } = await workspaces(t)
  const child = contextOf(newWorkspace(), ["subOrganization"]).subOrganization.create("Child")
  t.strictSame(membersOf(t, child), [...BASE, "issuer", "random", "settings"].toSorted())
  t.equal(child.organization.document.name, "Child")
})

/** Values of an object's members, inherited ones too, as far as they can be read without a call. */
function valuesOf(value: object): unknown[] {
  const found: unknown[] = []
  for (let one: object | null = value; one !== null; one = Object.getPrototypeOf(one)) {
    if (one === Object.prototype || one === Function.prototype || one === Array.prototype) break
    for (const key of Reflect.ownKeys(one)) {
      try {
        found.push(Reflect.get(value, key))
      } catch {
        // Refused, or of another receiver.
      }
    }
  }
  return found
}

/** Everything that can be reached from a value without a call. */
function reachable(from: object): Set<unknown> {
  const seen = new Set<unknown>([from])
  const open: object[] = [from]
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (ArrayBuffer.isView(value)) continue
    for (const member of valuesOf(value)) {
      if ((typeof member !== "object" && typeof member !== "function") || member === null) continue
      if (!seen.has(member)) open.push(member)
      seen.add(member)
    }
  }
  return seen
}

t.test("W39: no member leads from a context to the workspace, the ledger or a key", async (t) => {
  const { state, newWorkspace } = await workspaces(t)
  const workspace = newWorkspace()
  const context = contextOf(workspace, POWERS)
  const found = reachable(context)
  t.ok(found.has(context.organization.document) && found.has(context.signingKey), "members are followed")
  const { keyring } = state
  const hidden = { workspace, state, keyring, ledger: state.ledger, random: state.random }
  for (const [name, value] of Object.entries(hidden)) t.notOk(found.has(value), name)
  const { facts, factsRequest, sessions, changes, records, run, request } = workspace
  for (const value of [facts, factsRequest.parts, sessions, changes, records, run, request])
    t.notOk(found.has(value))
  for (const branch of valuesOf(keyring)) {
    if (typeof branch === "object" && branch !== null) t.notOk(found.has(branch), "a branch of the keyring")
  }
  t.notOk([...found].some((value) => value instanceof Secret))
  t.ok(reachable(workspace).has(keyring), "the same walk finds the keyring from the workspace")
})

t.test("W39: settings and keys that requests share cannot be changed by an activity", async (t) => {
  const { newWorkspace, address } = await workspaces(t)
  const { settings, signingKey } = contextOf(newWorkspace(), ["settings", "signingKey"])
  const key = signingKey(address)
  t.equal(key, contextOf(newWorkspace(), ["signingKey"]).signingKey(address), "the key is shared")
  t.ok(Object.isFrozen(key))
  for (const { features, sessionProfiles } of [settings.own, settings.governing]) {
    t.throws(() => features.push({} as never), TypeError)
    t.throws(() => sessionProfiles.push({} as never), TypeError)
  }
})

t.test("W39: keys of issuers that requests share cannot be changed by an activity", async (t) => {
  const { publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
  const key = { keyId: "1", algorithm: "ES256", spki: publicKey.export({ type: "spki", format: "der" }) }
  const finding = create(IssuerKeysSchema, { issuer: "https://issuer.example", keys: [key] })
  const learned = { issuerKeys: { learn: () => true }, statement: create(FetchStatementSchema), nowMs: 0 }
  const keys = ISSUER_KEYS.read({ issuer: finding.issuer } as never, finding, learned as never) ?? []
  t.match(keys, [{ keyId: "1", family: "p256" }])
  t.ok(Object.isFrozen(keys) && Object.isFrozen(keys[0]))
})

t.test("a power that costs or is refused is made when it is first read, and once", async (t) => {
  const { state, newWorkspace } = await workspaces(t)
  const { request, run } = newWorkspace()
  const lapsed = new Workspace(request, { userId: "u", credential: undefined }, run, state)
  const context = contextOf(lapsed, ["credential", "signingKey"])
  t.throws(() => context.credential, { code: "LOGIN_LAPSED" })
  t.strictSame(lapsed.made, { draft: undefined, changes: undefined })
  t.equal(context.signingKey, context.signingKey)
  t.equal(context.changes, context.changes)
})

// Compiled by the check of types: each line below an @ts-expect-error would be a fault without it.

const needs = ["signingKey"] as const

t.test("W39: an undeclared power is a type error, and undefined at run time", async (t) => {
  const undeclared: Activity<"updateWallet"> = {
    // @ts-expect-error: the activity declares no power
    run: (_, { vault }) => ({ walletId: String(vault) }),
  }
  const another: Activity<"updateWallet", typeof needs> = {
    needs,
    // @ts-expect-error: the activity declares another power
    run: (_, context) => ({ walletId: String(context.vault) }),
  }
  const { newWorkspace } = await workspaces(t)
  for (const { needs: declared = [], run } of [undeclared, another]) {
    const context = contextOf(newWorkspace(), declared as readonly PowerName[]) as never
    t.strictSame(run({} as never, context), { walletId: "undefined" })
  }
})

t.test("a function that needs more than an activity declares does not compile", async (t) => {
  const wide = (_: unknown, { vault }: ActivityContext<["signingKey", "vault"]>) => ({
    walletId: typeof vault,
  })
  // @ts-expect-error: the function needs the vault
  const activity: Activity<"updateWallet", typeof needs> = { needs, run: wide }
  // @ts-expect-error: the powers of the type are not those that are handed over
  const unsaid: Activity<"updateWallet", typeof needs> = { run: () => ({ walletId: "" }) }
  // @ts-expect-error: no power has this name
  const unknown: Activity<"updateWallet", ["ledger"]> = { needs: ["ledger"], run: () => ({ walletId: "" }) }
  const login = (context: ActivityContext<["credential", "settings"]>) =>
    // @ts-expect-error: logins open sessions
    logIn({} as never, "", {} as never, context)
  for (const one of [activity, unsaid, unknown]) t.type(one.run, "function")
  t.type(login, "function")
})
