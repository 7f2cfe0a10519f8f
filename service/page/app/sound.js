// A few soft sounds, made here, and only where a person has asked for them.
import { sound } from "./memory.js";

let context = null;

function tone({ pitch, at = 0, length = 0.12, volume = 0.08, shape = "triangle", to = pitch }) {
  const start = context.currentTime + at;
  const oscillator = context.createOscillator();
  const gain = context.createGain();
  oscillator.type = shape;
  oscillator.frequency.setValueAtTime(pitch, start);
  oscillator.frequency.exponentialRampToValueAtTime(to, start + length);
  gain.gain.setValueAtTime(volume, start);
  gain.gain.exponentialRampToValueAtTime(0.0001, start + length);
  oscillator.connect(gain).connect(context.destination);
  oscillator.start(start);
  oscillator.stop(start + length);
}

// Dice on felt: short bursts of noise.
function rattle(bursts) {
  for (let burst = 0; burst < bursts; burst++) {
    const length = 0.035;
    const buffer = context.createBuffer(1, context.sampleRate * length, context.sampleRate);
    const wave = buffer.getChannelData(0);
    for (let at = 0; at < wave.length; at++) wave[at] = (Math.random() * 2 - 1) * (1 - at / wave.length);
    const source = context.createBufferSource();
    const filter = context.createBiquadFilter();
    const gain = context.createGain();
    filter.frequency.value = 1400 + 300 * burst;
    gain.gain.value = 0.12 / (1 + burst * 0.4);
    source.buffer = buffer;
    source.connect(filter).connect(gain).connect(context.destination);
    source.start(context.currentTime + burst * 0.075);
  }
}

const SOUNDS = {
  throw: () => rattle(5),
  placed: () => rattle(1),
  paid: () => [660, 880].forEach((pitch, nth) => tone({ pitch, at: nth * 0.07 })),
  tied: () => tone({ pitch: 220, to: 140, length: 0.22, shape: "sine" }),
  turn: () => tone({ pitch: 520, to: 620, length: 0.16, shape: "sine" }),
  over: () => [523, 659, 784, 1047].forEach((pitch, nth) => tone({ pitch, at: nth * 0.12, length: 0.3 })),
};

export function play(name) {
  if (!sound.value || document.hidden || !window.AudioContext) return;
  context ??= new AudioContext();
  if (context.state === "suspended") context.resume();
  SOUNDS[name]?.();
}
