import type { Observation, StreamText } from '../../specs/observation.ts'

/** Colour, weight and the like (SGR of ECMA-48). */
const STYLE = /\u001b\[[0-9;:]*m/g

/** What a command printed on a terminal, without colours: those are for terminals, and no other behaviour. */
export function withoutColours(observation: Observation): Observation {
  if (observation.outcome !== 'exited') return observation
  const { stdout, stderr } = observation
  return { ...observation, stdout: plain(stdout), stderr: plain(stderr) }
}

function plain(stream: StreamText): StreamText {
  return stream.text === undefined ? stream : { ...stream, text: stream.text.replaceAll(STYLE, '') }
}
