// Assets of a chain: its own currency, and tokens that the operator and velocity controls list.
import t from "tap"
import { supportedAssets } from "../../../../services/api/queries/shared/supported-assets.ts"
import type { StoredOrganization } from "../../../../services/api/store/stored-organization.ts"
import { type ListedTokens, tokensSetting } from "../../../../services/chains/assets.ts"
import { canonicalChain } from "../../../../services/chains/chains.ts"

const CHAIN = "eip155:8453"
const token = (number: number) => `0x${number.toString(16).padStart(40, "0")}`

/** An organization whose controls list these tokens, one each. */
function organizationWith(caip19s: readonly string[]): StoredOrganization {
  const velocityControls = caip19s.map((caip19) => ({
    dataSource: {
      definition: { case: "chainAssetTransfer", value: { definition: [{ caip19, decimals: 6n }] } },
    },
  }))
  return { document: { velocityControls } } as unknown as StoredOrganization
}

const assetsOf = (caip19s: readonly string[], listed: ListedTokens = new Map()) =>
  supportedAssets(organizationWith(caip19s), CHAIN, {
    canonical: canonicalChain,
    tokens: (caip2) => listed.get(caip2) ?? [],
  })

t.test("a chain has its own currency, and each token of it once", async (t) => {
  const listed = [1, 2, 1].map((number) => `${CHAIN}/erc20:${token(number)}`)
  const other = `eip155:1/erc20:${token(3)}`
  t.strictSame(
    assetsOf([...listed, other, `${CHAIN}/slip44:60`]).map((asset) => asset.token),
    ["", token(1), token(2)],
  )
})

t.test("a node is asked for fifty tokens at most, however many controls list", async (t) => {
  const listed = Array.from({ length: 200 }, (_, number) => `${CHAIN}/erc20:${token(1 + number)}`)
  t.equal(assetsOf(listed).length, 51)
})

t.test("C-1860: tokens that the operator lists come first, with their symbol, and count", async (t) => {
  const listed = tokensSetting(`base/erc20:${token(1)}=USDC:6, eip155:1/erc20:${token(5)}=DAI:18`)
  t.strictSame(
    assetsOf(
      [1, 2].map((number) => `${CHAIN}/erc20:${token(number)}`),
      listed,
    ).map(({ token, symbol }) => [token, symbol]),
    [
      ["", "ETH"],
      [token(1), "USDC"],
      [token(2), ""],
    ],
  )
  const many = Array.from({ length: 200 }, (_, number) => `${CHAIN}/erc20:${token(10 + number)}`)
  t.equal(assetsOf(many, listed).length, 51)
})

t.test(
  "C-1860: a token that is listed twice, or in no form of the setting, is refused when the API starts",
  async (t) => {
    const one = `eip155:1/erc20:${token(1)}=USDC:6`
    const fifty = Array.from({ length: 51 }, (_, number) => `base/erc20:${token(1 + number)}=T:0`)
    for (const [text, fault] of [
      [`${one},${one}`, /is listed twice/],
      [fifty.join(), /eip155:8453 has more than 50 tokens/],
      ...[
        `eip155:1/erc20:${token(1)}`,
        `eip155:1/erc20:${token(1)}=USDC`,
        `eip155:1/erc20:${token(1)}=USDC:37`,
        `eip155:1/erc20:${token(1)}=U S:6`,
        "eip155:1/slip44:60=ETH:18",
        "eip155:1/erc20:0x12=USDC:6",
        "nowhere/erc20:0x12=USDC:6",
      ].map((text) => [text, /write tokens as .*is no token/] as const),
    ] as const)
      t.throws(() => tokensSetting(text), { message: fault }, text)
    t.equal(tokensSetting(undefined).size, 0)
  },
)
