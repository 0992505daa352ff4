/** Progress on stderr when a person watches; silence otherwise. */

export type Progress = { step(name: string, done?: number, total?: number): void; end(): void };

/** Lines are rewritten at most this often; milliseconds. */
const EVERY_MS = 100;

export function openProgress(stream: NodeJS.WriteStream = process.stderr): Progress {
  if (!stream.isTTY) return { step() {}, end() {} };
  let last = 0;
  let open = "";
  return {
    step(name, done, total) {
      const now = performance.now();
      const line = done === undefined ? `${name} …` : `${name} ${done}${total === undefined ? "" : `/${total}`}`;
      if (name === open && now - last < EVERY_MS && done !== total) return;
      stream.write(`\r\u001b[2K${line}`);
      last = now;
      open = name;
    },
    end() {
      stream.write("\r\u001b[2K");
    },
  };
}
