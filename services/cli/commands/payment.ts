/** A payment on an EVM chain, as it is shown before it is signed. Amounts in wei. */
export type Payment = {
  caip2: string
  from: string
  /** Empty: a contract is created. */
  to: string
  value: bigint
  /** Bytes of call data. */
  dataBytes: number
  /** Greatest fee. */
  maxFee: bigint
}

/** Native tokens by chain id; all have 18 decimals. */
const TOKENS: { [token: string]: readonly string[] } = {
  ETH: ["1", "10", "8453", "42161", "84532", "421614", "11155111", "11155420"],
  POL: ["137", "80002"],
  BNB: ["56", "97"],
  MON: ["143", "10143"],
}
const DECIMALS = 18

/** The name of a transaction from before EIP-155: it is valid on every chain. */
const ANY_CHAIN = "eip155:0"

/** A line with amount, recipient, account and greatest fee. */
export function paymentLine({ caip2, from, to, value, dataBytes, maxFee }: Payment): string {
  const recipient = to === "" ? "a new contract" : to
  const call = dataBytes === 0 ? "" : `, with ${dataBytes} bytes of call data`
  const chain = caip2 === ANY_CHAIN ? "any chain" : caip2
  return `pays ${amount(value, caip2)} from ${from} to ${recipient} on ${chain}${call}; fee at most ${amount(maxFee, caip2)}`
}

/** Wei in units of the native token, without trailing zeros. */
function amount(wei: bigint, caip2: string): string {
  const digits = String(wei).padStart(DECIMALS + 1, "0")
  const part = digits.slice(-DECIMALS).replace(/0+$/, "")
  const [, chainId = ""] = caip2.split(":")
  const token = Object.keys(TOKENS).find((name) => TOKENS[name]?.includes(chainId)) ?? "native tokens"
  return `${digits.slice(0, -DECIMALS)}${part === "" ? "" : `.${part}`} ${token}`
}
