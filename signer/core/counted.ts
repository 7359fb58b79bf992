/** "1 account", "3 accounts"; a plural without a rule is given: "2 leaves". */
export function counted(number: number | bigint, noun: string, plural = `${noun}s`): string {
  return `${number} ${BigInt(number) === 1n ? noun : plural}`
}
