import { styleText } from 'node:util'

type Style = 'bold' | 'dim' | 'green' | 'red' | 'yellow' | 'cyan'
/** Colours a text, or leaves it as it is. */
export type Paint = (style: Style, text: string) => string

export function paint(colour: boolean): Paint {
  return (style, text) => (colour ? styleText(style, text, { validateStream: false }) : text)
}

/** Whether a stream wants colour: a terminal, unless NO_COLOR is set. */
export function wantsColour(stream: NodeJS.WriteStream): boolean {
  return stream.isTTY && process.env['NO_COLOR'] === undefined
}
