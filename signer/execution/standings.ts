import { mfaStanding, type MfaStanding } from "../policy/mfa.ts"
import type { Question } from "../policy/question.ts"

/** How far those who have approved are with what their MFA policies demand; of the others nothing is demanded. */
export function standingsOf({ approvals, facts }: Question): MfaStanding[] {
  return approvals.flatMap(({ user, credentials }) => mfaStanding(user, credentials, facts) ?? [])
}

/** Whether a user has yet to prove something. */
export function isOpen(standings: readonly MfaStanding[], userId: string): boolean {
  return standings.some((standing) => standing.userId === userId && !standing.isMet)
}

/** The question with those approvals alone that count: of whom nothing is left to prove. */
export function proven(question: Question, standings: readonly MfaStanding[]): Question {
  const open = new Set(standings.filter(({ isMet }) => !isMet).map(({ userId }) => userId))
  if (open.size === 0) return question
  return { ...question, approvals: question.approvals.filter(({ user }) => !open.has(user.userId)) }
}
