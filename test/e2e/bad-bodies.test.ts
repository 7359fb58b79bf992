// What the issue lists under "Bad input gets", part two: what is asked.
import t from "tap"
import { requireError } from "../contract/replies.ts"
import { ethereumAccount } from "../harness/api-seat.ts"
import { GRPC_INVALID, invalid, NIL, scene } from "./refusals.ts"

const SIGN = "submit/sign_raw_payload"
const WALLET = "submit/create_wallet"

t.test("bad bodies", async (t) => {
  const { system, organizationId, root, solana, rows, sign, wallet, stamped, refusals } = await scene(t)

  refusals("refuses a body with no reading, or more than one", {
    "cut short": [() => stamped(WALLET, wallet().slice(0, -1)), invalid(/strict JSON/)],
    empty: [() => stamped(WALLET, ""), invalid(/JSON/)],
    "a list": [() => stamped(WALLET, "[]"), invalid(/object/)],
    "a trailing comma": [() => stamped(WALLET, wallet().replace(/}$/, ",}")), invalid(/strict JSON/)],
    "a member twice": [
      () => stamped(WALLET, wallet().replace("{", '{"type":"ACTIVITY_TYPE_CREATE_WALLET",')),
      invalid(/strict JSON.*(duplicate|twice)/),
    ],
    "a member twice, once escaped": [
      () => stamped(WALLET, wallet().replace("{", '{"\\u0074ype":"x",')),
      invalid(/strict JSON.*(duplicate|twice)/),
    ],
    "a member twice, deep": [
      () => stamped(WALLET, wallet().replace('"walletName"', '"walletName":"a","walletName"')),
      invalid(/strict JSON.*(duplicate|twice)/),
    ],
    "deeply nested": [() => stamped(WALLET, `${'{"a":'.repeat(2000)}1${"}".repeat(2000)}`), invalid(/./)],
  })

  refusals("refuses what does not belong to path, type or organization", {
    "another path's type": [
      () => stamped("submit/create_users", wallet()),
      invalid(/type does not belong to this path/, "type", "REQUEST_INVALID", "REQUEST_INVALID"),
    ],
    "an unknown type": [
      () => stamped(WALLET, wallet().replace("CREATE_WALLET", "CREATE_ANYTHING")),
      invalid(
        /type is no activity type; this path takes ACTIVITY_TYPE_CREATE_WALLET$/,
        "type",
        "REQUEST_INVALID",
        "ACTIVITY_TYPE_UNKNOWN",
      ),
    ],
    "no type": [
      () => stamped(WALLET, wallet().replace(/"type":"\w+",/, "")),
      invalid(/missing field `type`/, "type"),
    ],
    "an unknown organization": [
      () => stamped(WALLET, wallet().replace(organizationId, NIL)),
      invalid(/no organization found with the given ID/, undefined, "ORGANIZATION_NOT_FOUND"),
    ],
    "an organization id that is none": [
      () => stamped(WALLET, wallet().replace(organizationId, "acme")),
      invalid(/malformed organization ID/, undefined, "INVALID_ORGANIZATION_ID"),
    ],
    "an organization id that is none, in a query": [
      () => system.query("whoami", { organizationId: "acme" }, root),
      invalid(/malformed organization ID/, "organizationId", "INVALID_ORGANIZATION_ID"),
    ],
    "an organization id that is no text, in a query": [
      () => system.query("whoami", { organizationId: 7 }, root),
      invalid(/organizationId/, "organizationId"),
    ],
    "an unknown organization in a query": [
      () => system.query("whoami", { organizationId: NIL }, root),
      invalid(/no organization found/, undefined, "ORGANIZATION_NOT_FOUND"),
    ],
  })

  const account = (change: object) =>
    system.body("CREATE_WALLET", organizationId, {
      walletName: "A",
      accounts: [{ ...ethereumAccount(0), ...change }],
    })
  refusals("names the member at fault", {
    missing: [
      () => stamped(SIGN, sign().replace(/"signWith":"\w+",/, "")),
      invalid(/signWith/, "parameters.signWith"),
    ],
    "missing, deep": [
      () => stamped(WALLET, account({}).replace(/"curve":"\w+",/, "")),
      invalid(/curve/, "parameters.accounts[0].curve"),
    ],
    "missing parameters": [
      () => stamped(WALLET, wallet().replace(/,"parameters".*/, "}")),
      invalid(/missing field `parameters`/, "parameters"),
    ],
    "an unknown enum": [
      () => stamped(WALLET, account({ curve: "CURVE_MOON" })),
      invalid(/curve/, "parameters.accounts[0].curve"),
    ],
    "an enum as a number": [
      () => stamped(WALLET, account({ curve: 1 })),
      invalid(/curve/, "parameters.accounts[0].curve"),
    ],
    "a string for a list": [
      () => stamped(WALLET, wallet().replace("[]", '""')),
      invalid(/accounts/, "parameters.accounts"),
    ],
    "a missing member of a query": [
      () => system.query("get_wallet", { organizationId }, root),
      invalid(/walletId/, "walletId"),
    ],
  })

  refusals("refuses to sign what does not fit", {
    "31 bytes for NO_OP": [() => stamped(SIGN, sign({ payload: "00".repeat(31) })), invalid(/32/)],
    "33 bytes for NO_OP": [() => stamped(SIGN, sign({ payload: "00".repeat(33) })), invalid(/32/)],
    "no hexadecimal": [() => stamped(SIGN, sign({ payload: "zz" })), invalid(/./, "parameters.payload")],
    "NOT_APPLICABLE for secp256k1": [
      () => stamped(SIGN, sign({ hashFunction: "HASH_FUNCTION_NOT_APPLICABLE" })),
      invalid(/./),
    ],
    "NO_OP for Ed25519": [() => stamped(SIGN, sign({ signWith: solana })), invalid(/./)],
    "SHA256 for Ed25519": [
      () => stamped(SIGN, sign({ signWith: solana, hashFunction: "HASH_FUNCTION_SHA256" })),
      invalid(/./),
    ],
  })

  refusals("refuses pages that are none", {
    ...Object.fromEntries(
      ["0", "101", "-1", "1.5", "ten", " 1", "0x1"].map((limit) => [
        `limit ${limit}`,
        [() => listed({ limit }), invalid(/limit/, "paginationOptions.limit")],
      ]),
    ),
    "an unknown cursor": [() => listed({ after: NIL }), invalid(/after/, "paginationOptions.after")],
    "both cursors": [() => listed({ after: NIL, before: NIL }), invalid(/exclude/, "paginationOptions")],
  })
  function listed(paginationOptions: object) {
    return system.query("list_wallet_accounts", { organizationId, paginationOptions }, root)
  }

  t.test("a body over the limit is answered 413, as JSON", async (t) => {
    const before = await rows()
    const { status, headers, json } = await stamped(WALLET, wallet("x".repeat(1024 * 1024)))
    t.equal(status, 413)
    t.equal(headers.get("content-type"), "application/json")
    requireError(json, GRPC_INVALID)
    t.equal(await rows(), before)
  })

  t.test("the unaltered twins go through", async (t) => {
    t.equal((await stamped(SIGN, sign())).status, 200)
    t.equal((await stamped(WALLET, wallet())).status, 200)
    t.equal((await listed({ limit: "100" })).status, 200)
  })
})
