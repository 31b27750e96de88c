import type { Random } from './random.ts'
import { makeSentence, makeTopic, parseTemplate, type Template, type Topic } from './sentence.ts'
import { ENGLISH, KOREAN, type Templates } from './templates.ts'
import { englishVocabulary, koreanVocabulary, type Vocabulary, type Word } from './words.ts'

/** A post's body. */
export type Body = Word

type Section = keyof Templates

const MIN_WORDS = 20
/** Sentences are added up to this number of words; the last one may exceed it by its own length, below 120. */
const MAX_WORDS = 76
const MAX_TITLE_LENGTH = 150

/**
 * Writes the posts of threads in one language. Builds the HTML from the same parts as the Markdown: the same as
 * the renderer's (a test compares them), a hundred times as fast.
 */
export class Writer {
  private readonly vocabulary: Vocabulary
  private readonly templates: Readonly<Record<Section, readonly Template[]>>
  private readonly samples: readonly Word[]

  /** @param samples of code, of renderedSamples */
  constructor(language: 'en' | 'ko', samples: readonly Word[]) {
    const templates = language === 'ko' ? KOREAN : ENGLISH
    const parsed = (section: Section) => templates[section].map(parseTemplate)
    this.vocabulary = language === 'ko' ? koreanVocabulary() : englishVocabulary()
    this.templates = {
      title: parsed('title'),
      problem: parsed('problem'),
      ask: parsed('ask'),
      answer: parsed('answer'),
      reply: parsed('reply'),
    }
    this.samples = samples
  }

  topic(random: Random): Topic {
    return makeTopic(this.vocabulary, random)
  }

  /** Plain text: a title has no Markdown. */
  title(topic: Topic, random: Random): string {
    const { markdown } = this.sentence('title', topic, random)
    const title = markdown.replaceAll('`', '')
    return title.length <= MAX_TITLE_LENGTH ? title : this.title(topic, random)
  }

  /** A problem, sometimes with code, and the question itself. */
  question(topic: Topic, random: Random): Body {
    const sentences = this.sentences('problem', wordsWanted(random), topic, random)
    return this.body([...sentences, this.sentence('ask', topic, random)], random, 0.2)
  }

  answer(topic: Topic, random: Random): Body {
    return this.body(this.sentences('answer', wordsWanted(random), topic, random), random, 0.2)
  }

  reply(topic: Topic, random: Random): Body {
    return this.body(this.sentences('reply', MIN_WORDS, topic, random), random, 0)
  }

  private sentence(section: Section, topic: Topic, random: Random): Word {
    return makeSentence(random.pick(this.templates[section]), this.vocabulary, topic, random)
  }

  private sentences(section: Section, words: number, topic: Topic, random: Random): Word[] {
    const sentences: Word[] = []
    for (let count = 0; count < words; ) {
      const sentence = this.sentence(section, topic, random)
      count += sentence.markdown.split(' ').length
      sentences.push(sentence)
    }
    return sentences
  }

  /** Paragraphs of one to three sentences, sometimes with a code block after the first. */
  private body(sentences: readonly Word[], random: Random, codeShare: number): Body {
    let markdown = ''
    let html = ''
    const add = (block: Word) => {
      markdown += markdown === '' ? block.markdown : `\n\n${block.markdown}`
      html += block.html
    }
    for (let from = 0; from < sentences.length; ) {
      const to = from + 1 + random.below(3)
      const paragraph = sentences.slice(from, to)
      const text = paragraph.map((sentence) => sentence.markdown).join(' ')
      add({ markdown: text, html: `<p>${paragraph.map((sentence) => sentence.html).join(' ')}</p>\n` })
      if (from === 0 && random.chance(codeShare)) add(random.pick(this.samples))
      from = to
    }
    return { markdown, html }
  }
}

function wordsWanted(random: Random): number {
  return MIN_WORDS + Math.floor((MAX_WORDS - MIN_WORDS) * random.next() ** 1.7)
}
