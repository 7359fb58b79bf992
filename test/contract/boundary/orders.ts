import type { Test } from "tap"
import { ApiClient, ethereumAccount, signParams, valueOf } from "../../harness/api-client.ts"
import type { Boundary } from "../../harness/boundary.ts"
import { newKey, stampWith } from "../../harness/stamper.ts"
import { NIL, TYPE } from "./names.ts"

/** Answers to one order: stamp, time, parsing, signatures and accounts. */
export function orders(t: Test, makeBoundary: (t: Test) => Promise<Boundary>): void {
  t.test("an order", async (t) => {
    const boundary = await makeBoundary(t)
    const client = new ApiClient(boundary)
    const acme = await client.createOrganization()
    const { organizationId, root } = acme
    const { walletId, address } = await client.wallet(acme)

    t.test("is refused without a stamp, with two stamps and with an invalid one", async (t) => {
      const body = client.body(TYPE("SIGN_RAW_PAYLOAD_V2"), organizationId, signParams(address))
      const code = async (xStamp: string) => {
        const answer = await client.order(body, xStamp)
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
      const body = client.body(TYPE("SIGN_RAW_PAYLOAD_V2"), organizationId, signParams(address))
      const refusedWith = async (sent: string, xStamp: string) => {
        let answer = await client.order(sent, xStamp)
        if (answer.is === "needed") answer = await client.order(sent, xStamp, client.supply(answer.needed))
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
        const body = client.body(type, organizationId, signParams(address), boundary.nowMs() + offsetMs)
        const answer = await client.send(body, root)
        return answer.is === "refused" ? answer.code : answer.is
      }
      // Half a minute beyond: the clock of a running signer is its own, a little behind or ahead of ours.
      t.equal(await at(-60 * 60 * 1000 - 30_000), "REQUEST_STALE")
      t.equal(await at(-59 * 60 * 1000), "CREDENTIAL_NEWER_THAN_REQUEST", "live, and older than the new key")
      t.equal(await at(-4 * 60 * 1000), "outcome")
      t.equal(await at(4 * 60 * 1000), "outcome")
      t.equal(await at(5 * 60 * 1000 + 30_000), "REQUEST_FROM_FUTURE")
    })

    t.test("is refused when its body has not exactly one reading", async (t) => {
      const code = async (body: string) => {
        const answer = await client.send(body, root)
        return answer.is === "refused" ? answer.code : answer.is
      }
      const good = client.body(TYPE("SIGN_RAW_PAYLOAD_V2"), organizationId, signParams(address))
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
      t.equal(
        await client.refused(root, TYPE("CREATE_SUB_ORGANIZATION_V2"), organizationId, {
          subOrganizationName: "Sub",
          rootUsers: [{ userName: "root", apiKeys: [], authenticators: [] }],
          rootQuorumThreshold: 1,
        }),
        "ACTIVITY_TYPE_NOT_SERVED",
      )
    })

    t.test("for an organization that was never created is refused", async (t) => {
      t.equal(
        await client.refused(root, TYPE("SIGN_RAW_PAYLOAD_V2"), NIL, signParams(address)),
        "ORGANIZATION_UNKNOWN",
      )
    })

    t.test("that signs is answered with r, s and v, the same each time", async (t) => {
      const first = await client.submit(
        root,
        TYPE("SIGN_RAW_PAYLOAD_V2"),
        organizationId,
        signParams(address),
      )
      const again = await client.submit(
        root,
        TYPE("SIGN_RAW_PAYLOAD_V2"),
        organizationId,
        signParams(address),
      )
      const { r, s, v } = valueOf(first, "signRawPayloadResult")
      t.match({ r, s, v }, { r: /^[0-9a-f]{64}$/, s: /^[0-9a-f]{64}$/, v: /^0[01]$/ })
      t.same(valueOf(again, "signRawPayloadResult"), valueOf(first, "signRawPayloadResult"))
      t.equal(first.unacknowledged, false, "nothing to acknowledge: nothing was written")
    })

    t.test("that signs several payloads signs all or none", async (t) => {
      const { payload: _, ...common } = signParams(address)
      const payloads = ["11".repeat(32), "22".repeat(32)]
      const outcome = await client.submit(root, TYPE("SIGN_RAW_PAYLOADS"), organizationId, {
        ...common,
        payloads,
      })
      t.equal(valueOf(outcome, "signRawPayloadsResult").signatures.length, 2)
      t.equal(
        await client.refused(root, TYPE("SIGN_RAW_PAYLOADS"), organizationId, {
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
          client.refused(root, TYPE("SIGN_RAW_PAYLOAD_V2"), organizationId, {
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
        client.refused(root, TYPE("CREATE_WALLET_ACCOUNTS"), organizationId, {
          walletId: id,
          accounts: [{ ...ethereumAccount(0), ...account }],
        })
      t.equal(await refused({ path: "m/44h/60h" }), "PATH_INVALID")
      t.equal(await refused({ addressFormat: "ADDRESS_FORMAT_SOLANA" }), "ADDRESS_FORMAT_INVALID")
      t.equal(await refused({}), "ACCOUNT_TAKEN")
      t.equal(await refused({}, NIL), "RESOURCE_UNKNOWN")
      const wallet = { walletName: "Odd", accounts: [], mnemonicLength: 13 }
      t.equal(
        await client.refused(root, TYPE("CREATE_WALLET"), organizationId, wallet),
        "MNEMONIC_LENGTH_INVALID",
      )
      const twin = { walletName: "First", accounts: [] }
      t.equal(await client.refused(root, TYPE("CREATE_WALLET"), organizationId, twin), "NAME_TAKEN")
    })

    t.test("for accounts is refused where their paths are too long in all", async (t) => {
      const path = (levels: number, last: number) => `m${"/0".repeat(levels - 1)}/${last}`
      const deep = (levels: number, index: number) => ({ ...ethereumAccount(0), path: path(levels, index) })
      const most = Array.from({ length: 40 }, (_, index) => deep(250, index))
      const type = TYPE("CREATE_WALLET_ACCOUNTS")
      const compute = (accounts: object[]) =>
        client.send(client.body(type, organizationId, { walletId, accounts, persist: false }), root)
      t.match(await compute(most), { is: "outcome" })
      const code = "LIMIT_EXCEEDED"
      t.match(await compute([...most, deep(1, 0)]), { is: "refused", code, field: "parameters.accounts" })
      const wallet = { walletName: "Deep", accounts: [...most, deep(1, 0)] }
      t.equal(await client.refused(root, TYPE("CREATE_WALLET"), organizationId, wallet), code)
      const many = Array.from({ length: 1001 }, (_, index) => ethereumAccount(index))
      t.match(await compute(many), { is: "refused", code: "REQUEST_INVALID", field: "parameters.accounts" })
    })

    t.test("for accounts without persist computes addresses and keeps nothing", async (t) => {
      const accounts = [ethereumAccount(7)]
      const compute = { walletId, accounts, persist: false }
      const computed = await client.submit(root, TYPE("CREATE_WALLET_ACCOUNTS"), organizationId, compute)
      const [computedAddress] = valueOf(computed, "createWalletAccountsResult").addresses
      t.equal(computed.records.length, 0)
      t.equal(
        await client.refused(root, TYPE("SIGN_RAW_PAYLOAD_V2"), organizationId, signParams(computedAddress!)),
        "SIGN_WITH_UNKNOWN",
      )
      const kept = await client.submit(root, TYPE("CREATE_WALLET_ACCOUNTS"), organizationId, {
        walletId,
        accounts,
      })
      t.same(valueOf(kept, "createWalletAccountsResult").addresses, [computedAddress])
    })
  })
}
