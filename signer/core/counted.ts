/** "1 account", "3 accounts"; a plural without a rule is given: "2 leaves". */
export function counted(number: number | bigint, noun: string, plural = `${noun}s`): string {
  return `${number} ${String(number) === "1" ? noun : plural}`
}
