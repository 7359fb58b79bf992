import { Caseless } from "../../../../../signer/core/policy/expression.ts"
import type { Plain } from "./helpers.ts"

export const ADDRESS = "0xdAC17F958D2ee523a2206206994597C13D831ec7"

/** The request that the expressions of these tests read. */
export const roots: { [root: string]: Plain } = {
  activity: {
    type: "T",
    kind: "K",
    action: "SIGN",
    resource: "PRIVATE_KEY",
    params: { user_ids: ["a", "b"] },
  },
  wallet: { id: "w", label: "Main", imported: true, exported: false },
  "eth.tx": {
    from: ADDRESS,
    to: ADDRESS,
    data: "0xa9059cbb0000",
    value: 10n ** 18n,
    chain_id: 1,
    nonce: 0,
    contract_call_args: {
      to: new Caseless(ADDRESS),
      text: "Abc",
      map: {},
      amount: 2n ** 255n,
      low: -5,
      flag: true,
      path: [new Caseless(ADDRESS), new Caseless("0xAB")],
      call: ["x", 1, [2, 3]],
      calls: [
        ["x", 1],
        ["y", 2],
      ],
      "": "empty",
      index: 1,
      key: "text",
    },
  },
  secret: { static_properties: { kind: "k", __proto__x: "p" } },
}
