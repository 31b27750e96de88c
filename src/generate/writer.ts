import { renderMarkdown } from '../text/markdown.ts'
import { codeSamples } from './code-samples.ts'
import type { Random } from './random.ts'
import { makeSentence, makeTopic, parseTemplate, type Template, type Topic } from './sentence.ts'
import { ENGLISH, KOREAN, type Templates } from './templates.ts'
import { englishVocabulary, koreanVocabulary, type Vocabulary, type Word } from './words.ts'

/** A post's body. */
export type Body = Word

type Section = keyof Templates

const FEWEST_WORDS = 20
/** Sentences are added until there are so many; the last one may go beyond by its own length, below 120. */
const MOST_WORDS = 76
const TITLE_LENGTH = 150

/**
 * Writes the posts of threads in one language. The HTML is put together of the same pieces as the Markdown, and is what
 * renderMarkdown would give, a hundred times as fast: a test compares them.
 */
export class Writer {
  private readonly vocabulary: Vocabulary
  private readonly templates: Readonly<Record<Section, readonly Template[]>>
  private readonly samples: readonly Word[]

  constructor(language: 'en' | 'ko') {
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
    this.samples = codeSamples().map((markdown) => ({ markdown, html: renderMarkdown(markdown) }))
  }

  topic(random: Random): Topic {
    return makeTopic(this.vocabulary, random)
  }

  /** Plain text: a title has no Markdown. */
  title(topic: Topic, random: Random): string {
    const { markdown } = this.sentence('title', topic, random)
    const title = markdown.replaceAll('`', '')
    return title.length <= TITLE_LENGTH ? title : this.title(topic, random)
  }

  /** A problem, perhaps with code, and the question itself. */
  question(topic: Topic, random: Random): Body {
    const sentences = this.sentences('problem', wordsWanted(random), topic, random)
    return this.body([...sentences, this.sentence('ask', topic, random)], random, 0.2)
  }

  answer(topic: Topic, random: Random): Body {
    return this.body(this.sentences('answer', wordsWanted(random), topic, random), random, 0.2)
  }

  reply(topic: Topic, random: Random): Body {
    return this.body(this.sentences('reply', FEWEST_WORDS, topic, random), random, 0)
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

  /** Paragraphs of one to three sentences, with a block of code after the first now and then. */
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
  return FEWEST_WORDS + Math.floor((MOST_WORDS - FEWEST_WORDS) * random.next() ** 1.7)
}
