// What the search of KDE's game Bovo uses of Qt, in one version or another: lists, texts and chance.
#ifndef BRAINS_QT_SHAPES_H
#define BRAINS_QT_SHAPES_H

#include <cstdlib>
#include <list>
#include <string>
#include <vector>

template <class T> struct QLinkedList : std::list<T> {
    T &last() { return this->back(); }
    void removeLast() { this->pop_back(); }
};
template <class T> using QList = QLinkedList<T>;
template <class T> using QVector = std::vector<T>;

struct QString : std::string {
    using std::string::string;
    const std::string &toLatin1() const { return *this; }
};
#define QStringLiteral(text) QString(text)

struct QRandomGenerator {
    static QRandomGenerator *global() {
        static QRandomGenerator chance;
        return &chance;
    }
    unsigned generate() { return (unsigned)rand(); }
    int bounded(int above) { return rand() % above; }
};
static inline int qrand() { return rand(); }
static inline void qsrand(unsigned seed) { srand(seed); }

template <class Container> void qDeleteAll(const Container &pointers) {
    for (auto pointer : pointers) delete pointer;
}

#endif
