import { type AbiFunction, readableFunctions, readAbi } from "./abi.ts"

// Functions of fungible tokens whose effect is known: EIP-20 and the extensions that tokens have, on EVM chains and Tron. A
// function that is not here may move anything.

/** Functions that move tokens, make them or let others move them. The argument `value` is the amount. */
const MOVING = [
  // EIP-20. An allowance is spent without another signature.
  "transfer(address to, uint256 value)",
  "transferFrom(address from, address to, uint256 value)",
  "approve(address spender, uint256 value)",
  // Tokens of OpenZeppelin and, before them, of Tron.
  "increaseAllowance(address spender, uint256 value)",
  "increaseApproval(address spender, uint256 value)",
  "burn(uint256 value)",
  "burn(address from, uint256 value)",
  "burnFrom(address from, uint256 value)",
  "mint(uint256 value)",
  "mint(address to, uint256 value)",
  // ERC-677 and ERC-1363.
  "transferAndCall(address to, uint256 value)",
  "transferAndCall(address to, uint256 value, bytes data)",
  "transferFromAndCall(address from, address to, uint256 value)",
  "transferFromAndCall(address from, address to, uint256 value, bytes data)",
  "approveAndCall(address spender, uint256 value)",
  "approveAndCall(address spender, uint256 value, bytes data)",
  // ERC-777.
  "send(address to, uint256 value, bytes data)",
  "burn(uint256 value, bytes data)",
  "operatorSend(address from, address to, uint256 value, bytes data, bytes operatorData)",
  "operatorBurn(address from, uint256 value, bytes data, bytes operatorData)",
  // EIP-2612 and ERC-3009: the signature of the tokens' owner is an argument.
  "permit(address owner, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s)",
  "permit(address owner, address spender, uint256 value, uint256 deadline, bytes signature)",
  "transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)",
  "transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)",
  "receiveWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)",
  "receiveWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)",
  // Wrapped currencies: burns the token and pays the currency to the caller.
  "withdraw(uint256 value)",
  // DAI.
  "push(address to, uint256 value)",
  "pull(address from, uint256 value)",
  "move(address from, address to, uint256 value)",
]

/** Functions that move nothing and let nobody move more than before. */
const HARMLESS = [
  "decreaseAllowance(address spender, uint256 subtracted)",
  "decreaseApproval(address spender, uint256 subtracted)",
  "revokeOperator(address operator)",
  "cancelAuthorization(address authorizer, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)",
  "cancelAuthorization(address authorizer, bytes32 nonce, bytes signature)",
  // Views. A transaction that calls one changes nothing.
  "name()",
  "symbol()",
  "decimals()",
  "totalSupply()",
  "balanceOf(address account)",
  "allowance(address owner, address spender)",
  "nonces(address owner)",
  "DOMAIN_SEPARATOR()",
  "eip712Domain()",
  "authorizationState(address authorizer, bytes32 nonce)",
  "isOperatorFor(address operator, address holder)",
  "supportsInterface(bytes4 interfaceId)",
]

/** All of these functions by selector. */
export const tokenFunctions: ReadonlyMap<string, AbiFunction> = functionsOf([...MOVING, ...HARMLESS])

/** Functions that move items or let others move them (ERC-721, ERC-1155), and the deposit of wrapped currencies. */
const itemFunctions = functionsOf([
  "setApprovalForAll(address operator, bool approved)",
  "safeTransferFrom(address from, address to, uint256 id)",
  "safeTransferFrom(address from, address to, uint256 id, bytes data)",
  "safeTransferFrom(address from, address to, uint256 id, uint256 value, bytes data)",
  "safeBatchTransferFrom(address from, address to, uint256[] ids, uint256[] values, bytes data)",
  "deposit()",
])

/** The function of a token standard with this selector: 8 hexadecimal digits. */
export function standardFunction(selector: string): AbiFunction | undefined {
  return tokenFunctions.get(selector) ?? itemFunctions.get(selector)
}

function functionsOf(declarations: readonly string[]): ReadonlyMap<string, AbiFunction> {
  return readableFunctions(readAbi(JSON.stringify(declarations.map(fragmentOf))))
}

function fragmentOf(declaration: string) {
  const [, name, parameters = ""] = /^(\w+)\((.*)\)$/.exec(declaration) ?? []
  const inputs = parameters.split(", ").filter((text) => text !== "")
  return {
    type: "function",
    name,
    inputs: inputs.map((text) => {
      const [type, input] = text.split(" ")
      return { type, name: input }
    }),
  }
}

const SELECTOR_DIGITS = 8
const WORD_DIGITS = 64

/**
 * The amount of a token that a call moves, makes or lets others move; 0 for a call that moves nothing; undefined for a function that is
 * not known. Contracts read missing bytes as zeros.
 * @param data of the call, hexadecimal without 0x
 */
export function tokenAmount(data: string): bigint | undefined {
  // Without data, a contract receives the currency alone.
  if (data === "") return 0n
  const called = tokenFunctions.get(data.slice(0, SELECTOR_DIGITS))
  if (called === undefined) return undefined
  const index = called.inputs.findIndex(({ name }) => name === "value")
  if (index === -1) return 0n
  // Every argument has one word at the beginning of the call, those of no fixed size for their offset.
  const start = SELECTOR_DIGITS + index * WORD_DIGITS
  return BigInt(`0x${data.slice(start, start + WORD_DIGITS).padEnd(WORD_DIGITS, "0")}`)
}
