type CleanUp = () => Promise<void>

const cleanUps: CleanUp[] = []

/** Runs a clean-up once this process has no work left, in the reverse order of registration. */
export function atEnd(clean: CleanUp): void {
  if (cleanUps.length === 0) process.once("beforeExit", () => void runAll())
  cleanUps.push(clean)
}

async function runAll(): Promise<void> {
  for (let clean = cleanUps.pop(); clean !== undefined; clean = cleanUps.pop()) await clean()
}
