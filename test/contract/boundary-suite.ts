import type { Test } from "tap"
import { ActivityStatus, VoteSelection } from "../../proto/gen/countersign/api/v1/enums_pb.ts"
import {
  ApiSeat,
  apiKey,
  ethereumAccount,
  readSetupCode,
  signParams,
  userParams,
  valueOf,
} from "../harness/api-seat.ts"
import type { Boundary } from "../harness/boundary.ts"
import { fingerprintOf, newKey, stampWith } from "../harness/stamper.ts"

/** Types by a short name, without the prefix. */
const TYPE = (name: string) => `ACTIVITY_TYPE_${name}`
const NIL = "00000000-0000-4000-8000-000000000000"

/** What the signer promises at its boundary, whoever stands before it. Runs in-process and over mTLS alike. */
export function boundarySuite(t: Test, makeBoundary: () => Promise<Boundary>): void {
  t.test("an order", async (t) => {
    const boundary = await makeBoundary()
    t.teardown(() => boundary.close())
    const seat = new ApiSeat(boundary)
    const acme = await seat.tenant()
    const { organizationId, root } = acme
    const { walletId, address } = await seat.wallet(acme)

    t.test("is refused without a stamp, with two and with one that is no stamp", async (t) => {
      const body = seat.body(TYPE("SIGN_RAW_PAYLOAD_V2"), organizationId, signParams(address))
      const code = async (xStamp: string) => {
        const answer = await seat.order(body, xStamp)
        return answer.is === "refused" ? answer.code : answer.is
      }
      t.equal(await code(""), "STAMP_MISSING")
      t.equal(await code("no base64url!"), "STAMP_MALFORMED")
      const stamp = (fields: object) => Buffer.from(JSON.stringify(fields)).toString("base64url")
      t.equal(
        await code(stamp({ publicKey: root.publicKeyHex, scheme: "SIGNATURE_SCHEME_NEW", signature: "00" })),
        "STAMP_SCHEME_UNKNOWN",
      )
    })

    t.test("is refused when the stamp covers another body or is by an unknown key", async (t) => {
      const body = seat.body(TYPE("SIGN_RAW_PAYLOAD_V2"), organizationId, signParams(address))
      const refusedWith = async (sent: string, xStamp: string) => {
        let answer = await seat.order(sent, xStamp)
        if (answer.is === "needed") answer = await seat.order(sent, xStamp, seat.supply(answer.needed))
        return answer.is === "refused" ? answer.code : answer.is
      }
      t.equal(await refusedWith(body, stampWith(root, `${body} `)), "STAMP_INVALID")
      t.equal(await refusedWith(`${body} `, stampWith(root, body)), "STAMP_INVALID")
      t.equal(await refusedWith(body, stampWith(newKey(), body)), "CREDENTIAL_UNKNOWN")
      const asEd25519 = Buffer.from(stampWith(root, body), "base64url")
        .toString()
        .replace("SIGNATURE_SCHEME_TK_API_P256", "SIGNATURE_SCHEME_TK_API_SECP256K1")
      t.equal(await refusedWith(body, Buffer.from(asEd25519).toString("base64url")), "STAMP_SCHEME_MISMATCH")
    })

    t.test("is refused when it is an hour old or more than five minutes ahead", async (t) => {
      const at = async (offsetMs: number) => {
        const type = TYPE("SIGN_RAW_PAYLOAD_V2")
        const body = seat.body(type, organizationId, signParams(address), boundary.nowMs() + offsetMs)
        const answer = await seat.send(body, root)
        return answer.is === "refused" ? answer.code : answer.is
      }
      t.equal(await at(-60 * 60 * 1000), "REQUEST_STALE")
      t.equal(await at(-59 * 60 * 1000), "outcome")
      t.equal(await at(4 * 60 * 1000), "outcome")
      t.equal(await at(5 * 60 * 1000 + 30_000), "REQUEST_FROM_FUTURE")
    })

    t.test("is refused when its body has not exactly one reading", async (t) => {
      const code = async (body: string) => {
        const answer = await seat.send(body, root)
        return answer.is === "refused" ? answer.code : answer.is
      }
      const good = seat.body(TYPE("SIGN_RAW_PAYLOAD_V2"), organizationId, signParams(address))
      t.equal(await code(good.slice(0, -1)), "REQUEST_MALFORMED")
      t.equal(await code(good.replace("{", `{"type":"${TYPE("SIGN_RAW_PAYLOAD_V2")}",`)), "REQUEST_MALFORMED")
      t.equal(await code("[]"), "REQUEST_MALFORMED")
      t.equal(await code(good.replace("SIGN_RAW_PAYLOAD_V2", "SIGN_ANYTHING")), "ACTIVITY_TYPE_UNKNOWN")
      t.equal(await code(good.replace("SIGN_RAW_PAYLOAD_V2", "CREATE_POLICY_V3")), "REQUEST_INVALID")
      t.equal(await code(good.replace('"HASH_FUNCTION_NO_OP"', "1")), "REQUEST_INVALID")
      t.equal(await code(good.replace(/"signWith":"[^"]*",/, "")), "REQUEST_INVALID")
      t.equal(await code(good.replace(/"timestampMs":"\d+",/, "")), "REQUEST_INVALID")
      t.equal(await code(good.replace(organizationId, "acme")), "REQUEST_INVALID")
      t.equal(await code(`${good}${" ".repeat(2 * 1024 * 1024)}`), "REQUEST_TOO_LARGE")
    })

    t.test("of a declared activity that this release does not run is refused by name", async (t) => {
      const parameters = { policyName: "p", effect: "EFFECT_ALLOW", notes: "" }
      t.equal(
        await seat.refused(root, TYPE("CREATE_POLICY_V3"), organizationId, parameters),
        "ACTIVITY_TYPE_NOT_SERVED",
      )
    })

    t.test("for an organization that was never born is refused", async (t) => {
      t.equal(
        await seat.refused(root, TYPE("SIGN_RAW_PAYLOAD_V2"), NIL, signParams(address)),
        "ORGANIZATION_UNKNOWN",
      )
    })

    t.test("that signs is answered with r, s and v, the same each time", async (t) => {
      const first = await seat.submit(root, TYPE("SIGN_RAW_PAYLOAD_V2"), organizationId, signParams(address))
      const again = await seat.submit(root, TYPE("SIGN_RAW_PAYLOAD_V2"), organizationId, signParams(address))
      const { r, s, v } = valueOf(first, "signRawPayloadResult")
      t.match({ r, s, v }, { r: /^[0-9a-f]{64}$/, s: /^[0-9a-f]{64}$/, v: /^0[01]$/ })
      t.same(valueOf(again, "signRawPayloadResult"), valueOf(first, "signRawPayloadResult"))
      t.equal(first.unacknowledged, false, "nothing to acknowledge: nothing was written")
    })

    t.test("that signs several payloads signs all or none", async (t) => {
      const { payload: _, ...common } = signParams(address)
      const payloads = ["11".repeat(32), "22".repeat(32)]
      const outcome = await seat.submit(root, TYPE("SIGN_RAW_PAYLOADS"), organizationId, {
        ...common,
        payloads,
      })
      t.equal(valueOf(outcome, "signRawPayloadsResult").signatures.length, 2)
      t.equal(
        await seat.refused(root, TYPE("SIGN_RAW_PAYLOADS"), organizationId, {
          ...common,
          payloads: [payloads[0], "22"],
        }),
        "DIGEST_LENGTH_INVALID",
      )
    })

    t.test(
      "to sign is refused for an unknown address, a bad payload and a hash that does not fit",
      async (t) => {
        const refused = (change: object) =>
          seat.refused(root, TYPE("SIGN_RAW_PAYLOAD_V2"), organizationId, {
            ...signParams(address),
            ...change,
          })
        t.equal(await refused({ signWith: `0x${"12".repeat(20)}` }), "SIGN_WITH_UNKNOWN")
        t.equal(await refused({ payload: "abc" }), "PAYLOAD_INVALID")
        t.equal(await refused({ payload: "abcd" }), "DIGEST_LENGTH_INVALID")
        t.equal(await refused({ hashFunction: "HASH_FUNCTION_NOT_APPLICABLE" }), "HASH_FUNCTION_INVALID")
      },
    )

    t.test("for accounts is refused for bad paths, formats and what is there already", async (t) => {
      const refused = (account: object, id = walletId) =>
        seat.refused(root, TYPE("CREATE_WALLET_ACCOUNTS"), organizationId, {
          walletId: id,
          accounts: [{ ...ethereumAccount(0), ...account }],
        })
      t.equal(await refused({ path: "m/44h/60h" }), "PATH_INVALID")
      t.equal(await refused({ addressFormat: "ADDRESS_FORMAT_SOLANA" }), "ADDRESS_FORMAT_INVALID")
      t.equal(await refused({}), "ACCOUNT_TAKEN")
      t.equal(await refused({}, NIL), "RESOURCE_UNKNOWN")
      const wallet = { walletName: "Odd", accounts: [], mnemonicLength: 13 }
      t.equal(
        await seat.refused(root, TYPE("CREATE_WALLET"), organizationId, wallet),
        "MNEMONIC_LENGTH_INVALID",
      )
      const twin = { walletName: "First", accounts: [] }
      t.equal(await seat.refused(root, TYPE("CREATE_WALLET"), organizationId, twin), "NAME_TAKEN")
    })

    t.test("for accounts is refused where their paths are too long in all", async (t) => {
      const path = (levels: number, last: number) => `m${"/0".repeat(levels - 1)}/${last}`
      const deep = (levels: number, index: number) => ({ ...ethereumAccount(0), path: path(levels, index) })
      const most = Array.from({ length: 40 }, (_, index) => deep(250, index))
      const type = TYPE("CREATE_WALLET_ACCOUNTS")
      const compute = (accounts: object[]) =>
        seat.send(seat.body(type, organizationId, { walletId, accounts, persist: false }), root)
      t.match(await compute(most), { is: "outcome" })
      const code = "LIMIT_EXCEEDED"
      t.match(await compute([...most, deep(1, 0)]), { is: "refused", code, field: "parameters.accounts" })
      const wallet = { walletName: "Deep", accounts: [...most, deep(1, 0)] }
      t.equal(await seat.refused(root, TYPE("CREATE_WALLET"), organizationId, wallet), code)
      const many = Array.from({ length: 1001 }, (_, index) => ethereumAccount(index))
      t.match(await compute(many), { is: "refused", code: "REQUEST_INVALID", field: "parameters.accounts" })
    })

    t.test("for accounts without persist computes addresses and keeps nothing", async (t) => {
      const accounts = [ethereumAccount(7)]
      const compute = { walletId, accounts, persist: false }
      const computed = await seat.submit(root, TYPE("CREATE_WALLET_ACCOUNTS"), organizationId, compute)
      const [computedAddress] = valueOf(computed, "createWalletAccountsResult").addresses
      t.equal(computed.records.length, 0)
      t.equal(
        await seat.refused(root, TYPE("SIGN_RAW_PAYLOAD_V2"), organizationId, signParams(computedAddress!)),
        "SIGN_WITH_UNKNOWN",
      )
      const kept = await seat.submit(root, TYPE("CREATE_WALLET_ACCOUNTS"), organizationId, {
        walletId,
        accounts,
      })
      t.same(valueOf(kept, "createWalletAccountsResult").addresses, [computedAddress])
    })
  })

  t.test("users and their keys", async (t) => {
    const boundary = await makeBoundary()
    t.teardown(() => boundary.close())
    const seat = new ApiSeat(boundary)
    const acme = await seat.tenant()
    const { organizationId, root } = acme
    const backend = await seat.user(acme, "backend")

    t.test("a user without policies may manage his own keys and nothing else", async (t) => {
      const extra = newKey()
      const outcome = await seat.submit(backend.key, TYPE("CREATE_API_KEYS_V2"), organizationId, {
        userId: backend.userId,
        apiKeys: [apiKey(extra, "second")],
      })
      const [apiKeyId] = valueOf(outcome, "createApiKeysResult").apiKeyIds
      const deleted = { userId: backend.userId, apiKeyIds: [apiKeyId] }
      await seat.submit(extra, TYPE("DELETE_API_KEYS"), organizationId, deleted)
      t.equal(
        await seat.refused(extra, TYPE("DELETE_API_KEYS"), organizationId, deleted),
        "CREDENTIAL_UNKNOWN",
        "a removed key stamps no more",
      )
      const refusedFor = (type: string, parameters: object) =>
        seat.refused(backend.key, TYPE(type), organizationId, parameters)
      t.equal(await refusedFor("CREATE_WALLET", { walletName: "Mine", accounts: [] }), "PERMISSION_DENIED")
      t.equal(
        await refusedFor("CREATE_USERS_V4", { users: [userParams("eve", newKey())] }),
        "PERMISSION_DENIED",
      )
      t.equal(
        await refusedFor("UPDATE_ROOT_QUORUM", { threshold: 1, userIds: [backend.userId] }),
        "PERMISSION_DENIED",
      )
      t.equal(
        await refusedFor("CREATE_API_KEYS", {
          userId: acme.rootUserId,
          apiKeys: [{ apiKeyName: "mine", publicKey: newKey().publicKeyHex }],
        }),
        "PERMISSION_DENIED",
        "not for another user",
      )
    })

    t.test("an expired key stamps no more", async (t) => {
      const brief = newKey()
      await seat.submit(root, TYPE("CREATE_API_KEYS_V2"), organizationId, {
        userId: acme.rootUserId,
        apiKeys: [apiKey(brief, "brief", "1")],
      })
      await new Promise((resolve) => setTimeout(resolve, 1100))
      for (let passed = 0; passed < 1200; passed++) boundary.nowMs()
      const parameters = { walletName: "Late", accounts: [] }
      t.equal(
        await seat.refused(brief, TYPE("CREATE_WALLET"), organizationId, parameters),
        "CREDENTIAL_EXPIRED",
      )
    })

    t.test("faulty keys, names, tags, limits and quorums are refused each by its code", async (t) => {
      const refused = (type: string, parameters: object) =>
        seat.refused(root, TYPE(type), organizationId, parameters)
      const users = (...list: object[]) => refused("CREATE_USERS_V4", { users: list })
      t.equal(await users(userParams("backend", newKey())), "NAME_TAKEN")
      t.equal(await users(userParams("twin", root)), "CREDENTIAL_TAKEN")
      const offCurve = { ...newKey(), publicKeyHex: `02${"ff".repeat(32)}` }
      t.equal(await users(userParams("off", offCurve)), "PUBLIC_KEY_INVALID")
      t.equal(await users({ ...userParams("tagged", newKey()), userTags: [NIL] }), "RESOURCE_UNKNOWN")
      const oauthProviders = [{ providerName: "idp", oidcToken: "e30.e30.e30" }]
      t.equal(await users({ ...userParams("oidc", newKey()), oauthProviders }), "EVIDENCE_NOT_SERVED")
      const many = Array.from({ length: 11 }, (_, index) => apiKey(newKey(), `key ${index}`))
      t.equal(await users({ ...userParams("many"), apiKeys: many }), "LIMIT_EXCEEDED")
      t.equal(await refused("DELETE_API_KEYS", { userId: NIL, apiKeyIds: [NIL] }), "RESOURCE_UNKNOWN")
      t.equal(
        await refused("UPDATE_ROOT_QUORUM", { threshold: 2, userIds: [acme.rootUserId] }),
        "QUORUM_INVALID",
      )
      t.equal(await refused("UPDATE_ROOT_QUORUM", { threshold: 1, userIds: [NIL] }), "QUORUM_INVALID")
    })

    t.test("the last lasting key of a user cannot be deleted", async (t) => {
      const created = await seat.submit(root, TYPE("CREATE_API_KEYS_V2"), organizationId, {
        userId: backend.userId,
        apiKeys: [apiKey(newKey(), "brief", "600")],
      })
      t.equal(valueOf(created, "createApiKeysResult").apiKeyIds.length, 1)
      const apiKeyIds = await lastingKeyIds(seat, acme.organizationId, backend.userId)
      t.equal(
        await seat.refused(root, TYPE("DELETE_API_KEYS"), organizationId, {
          userId: backend.userId,
          apiKeyIds,
        }),
        "LAST_CREDENTIAL",
      )
    })
  })

  t.test("votes", async (t) => {
    const boundary = await makeBoundary()
    t.teardown(() => boundary.close())
    const seat = new ApiSeat(boundary)
    const acme = await seat.tenant()
    const { organizationId, root } = acme
    const alice = await seat.user(acme, "alice")
    const eve = await seat.user(acme, "eve")
    const { address } = await seat.wallet(acme)
    await seat.submit(root, TYPE("UPDATE_ROOT_QUORUM"), organizationId, {
      threshold: 2,
      userIds: [acme.rootUserId, alice.userId],
    })
    const approve = (fingerprint: string) => ({ fingerprint: `sha256:${fingerprint}` })
    const propose = async (type: string, parameters: object) => {
      const body = seat.body(TYPE(type), organizationId, parameters)
      const answer = await seat.send(body, root)
      if (answer.is !== "outcome") throw new Error(JSON.stringify(answer))
      t.equal(answer.outcome.status, ActivityStatus.CONSENSUS_NEEDED)
      return { body, fingerprint: fingerprintOf(body), outcome: answer.outcome }
    }

    t.test("complete an activity when the root quorum has approved", async (t) => {
      const { fingerprint, outcome } = await propose("CREATE_WALLET", { walletName: "Second", accounts: [] })
      const parameters = approve(fingerprint)
      t.equal(await seat.refused(root, TYPE("APPROVE_ACTIVITY"), organizationId, parameters), "VOTE_REPEATED")
      t.equal(
        await seat.refused(eve.key, TYPE("APPROVE_ACTIVITY"), organizationId, parameters),
        "VOTE_NOT_COUNTED",
      )
      const done = await seat.submit(alice.key, TYPE("APPROVE_ACTIVITY"), organizationId, parameters)
      t.equal(done.status, ActivityStatus.COMPLETED)
      t.equal(done.decision?.activityId, outcome.decision?.activityId, "it is the same activity")
      t.ok(valueOf(done, "createWalletResult").walletId)
      t.equal(
        await seat.refused(alice.key, TYPE("APPROVE_ACTIVITY"), organizationId, parameters),
        "ACTIVITY_FINAL",
      )
    })

    t.test("may be given with the identical body, also for a signature", async (t) => {
      const { body } = await propose("SIGN_RAW_PAYLOAD_V2", signParams(address))
      const answer = await seat.send(body, alice.key)
      if (answer.is !== "outcome") return t.fail(JSON.stringify(answer))
      t.equal(answer.outcome.selection, VoteSelection.APPROVED)
      t.ok(valueOf(answer.outcome, "signRawPayloadResult").r)
    })

    t.test("reject for good", async (t) => {
      const { body, fingerprint } = await propose("SIGN_RAW_PAYLOAD_V2", signParams(address, "33".repeat(32)))
      const done = await seat.submit(alice.key, TYPE("REJECT_ACTIVITY"), organizationId, approve(fingerprint))
      t.equal(done.status, ActivityStatus.REJECTED)
      const again = await seat.send(body, alice.key)
      t.match(again, { is: "refused", code: "ACTIVITY_REPLAYED" })
    })

    t.test("that complete something impossible by now end it as failed", async (t) => {
      const first = await propose("CREATE_WALLET", { walletName: "Twin", accounts: [] })
      const second = await propose("CREATE_WALLET", { walletName: "Twin", accounts: [] })
      await seat.submit(alice.key, TYPE("APPROVE_ACTIVITY"), organizationId, approve(first.fingerprint))
      const failed = await seat.submit(
        alice.key,
        TYPE("APPROVE_ACTIVITY"),
        organizationId,
        approve(second.fingerprint),
      )
      t.equal(failed.status, ActivityStatus.FAILED)
      t.match(failed.failure?.sentence, /Twin is taken/)
    })

    t.test("on a fingerprint that nobody proposed are refused", async (t) => {
      const parameters = approve("ab".repeat(32))
      t.equal(
        await seat.refused(alice.key, TYPE("APPROVE_ACTIVITY"), organizationId, parameters),
        "ACTIVITY_UNKNOWN",
      )
    })

    t.test("survive a restart", async (t) => {
      const { fingerprint } = await propose("CREATE_WALLET", { walletName: "Third", accounts: [] })
      await boundary.restart()
      const done = await seat.submit(
        alice.key,
        TYPE("APPROVE_ACTIVITY"),
        organizationId,
        approve(fingerprint),
      )
      t.equal(done.status, ActivityStatus.COMPLETED)
    })
  })

  t.test("a setup code", async (t) => {
    const boundary = await makeBoundary()
    t.teardown(() => boundary.close())
    const seat = new ApiSeat(boundary)
    const key = newKey()
    const setupCode = await boundary.createSetupCode(key.publicKeyHex)
    const { organizationId } = readSetupCode(setupCode)
    const parameters = (code = setupCode) => ({
      setupCode: code,
      organizationName: "Acme",
      rootUser: { userName: "root", apiKeys: [apiKey(key)] },
    })
    const type = TYPE("CREATE_ORGANIZATION")

    t.test("is refused in other hands, altered, elsewhere and when it has expired", async (t) => {
      t.equal(await seat.refused(newKey(), type, organizationId, parameters()), "SETUP_CODE_OF_ANOTHER_KEY")
      const altered = Buffer.from(setupCode, "base64url")
      altered[altered.length - 1]! ^= 1
      const alteredCode = altered.toString("base64url")
      t.equal(await seat.refused(key, type, organizationId, parameters(alteredCode)), "SETUP_CODE_INVALID")
      t.equal(await seat.refused(key, type, NIL, parameters()), "SETUP_CODE_INVALID")
      const brief = await boundary.createSetupCode(key.publicKeyHex, 1)
      await new Promise((resolve) => setTimeout(resolve, 1100))
      for (let passed = 0; passed < 1200; passed++) boundary.nowMs()
      const { organizationId: briefId } = readSetupCode(brief)
      t.equal(await seat.refused(key, type, briefId, parameters(brief)), "SETUP_CODE_EXPIRED")
    })

    t.test("gives birth to one organization", async (t) => {
      const born = await seat.submit(key, type, organizationId, parameters())
      t.equal(valueOf(born, "createOrganizationResult").organizationId, organizationId)
      t.equal(await seat.refused(key, type, organizationId, parameters()), "SETUP_CODE_SPENT")
    })
  })
}

async function lastingKeyIds(seat: ApiSeat, organizationId: string, userId: string): Promise<string[]> {
  const { fromBinary } = await import("@bufbuild/protobuf")
  const { NotarizedDocumentSchema, OrganizationDocumentSchema } = await import(
    "../../proto/gen/countersign/state/v1/document_pb.ts"
  )
  const notarized = fromBinary(NotarizedDocumentSchema, seat.documents.get(organizationId)!)
  const { users } = fromBinary(OrganizationDocumentSchema, notarized.document)
  const keys = users.find((user) => user.userId === userId)?.apiKeys ?? []
  return keys.filter((key) => key.expiresAtMs === 0n).map((key) => key.apiKeyId)
}
