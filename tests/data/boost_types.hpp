// SPDX-License-Identifier: MIT
#pragma once

#include <boost/mpi/datatype.hpp>
#include <boost/mpi/packed_iarchive.hpp>
#include <boost/mpi/packed_oarchive.hpp>
#include <boost/optional.hpp>
#include <boost/serialization/access.hpp>
#include <boost/serialization/array.hpp>
#include <boost/serialization/base_object.hpp>
#include <boost/serialization/binary_object.hpp>
#include <boost/serialization/complex.hpp>
#include <boost/serialization/deque.hpp>
#include <boost/serialization/is_bitwise_serializable.hpp>
#include <boost/serialization/list.hpp>
#include <boost/serialization/map.hpp>
#include <boost/serialization/nvp.hpp>
#include <boost/serialization/optional.hpp>
#include <boost/serialization/set.hpp>
#include <boost/serialization/split_free.hpp>
#include <boost/serialization/split_member.hpp>
#include <boost/serialization/string.hpp>
#include <boost/serialization/tracking.hpp>
#include <boost/serialization/unordered_map.hpp>
#include <boost/serialization/utility.hpp>
#include <boost/serialization/valarray.hpp>
#include <boost/serialization/variant.hpp>
#include <boost/serialization/vector.hpp>
#include <boost/serialization/version.hpp>
#include <boost/variant.hpp>

#include <complex>
#include <cstddef>
#include <deque>
#include <list>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <valarray>
#include <vector>

/// @file
/// Types as programs for Boost.MPI and Boost.Serialization have them. None knows of deed.

namespace boost_types {

/// The position of Boost.MPI's tutorial: private members, a friend, an MPI datatype.
class gps_position {
 public:
  gps_position() = default;
  gps_position(int d, int m, float s) : degrees_(d), minutes_(m), seconds_(s) {}
  bool operator==(const gps_position&) const = default;

 private:
  friend class boost::serialization::access;
  template <class Archive>
  void serialize(Archive& ar, const unsigned int) {
    ar & degrees_;
    ar & minutes_;
    ar & seconds_;
  }
  int degrees_ = 0;
  int minutes_ = 0;
  float seconds_ = 0;
};

/// Containers behind names, as XML archives want them.
class bus_route {
 public:
  std::vector<gps_position> stops;
  std::map<std::string, std::list<int>> times;
  std::set<std::string> drivers;
  std::unordered_map<int, std::pair<std::string, double>> fares;
  std::deque<std::string> queue;
  bool operator==(const bus_route&) const = default;

 private:
  friend class boost::serialization::access;
  template <class Archive>
  void serialize(Archive& ar, const unsigned int) {
    ar& BOOST_SERIALIZATION_NVP(stops);
    ar& boost::serialization::make_nvp("times", times);
    ar& BOOST_SERIALIZATION_NVP(drivers) & BOOST_SERIALIZATION_NVP(fares);
    ar& BOOST_SERIALIZATION_NVP(queue);
  }
};

/// A base class, and a version that `serialize` is told.
struct stop {
  std::string name;
  bool operator==(const stop&) const = default;
  template <class Archive>
  void serialize(Archive& ar, const unsigned int) {
    ar & name;
  }
};
struct terminus : stop {
  int platforms = 0;
  unsigned version_seen = 0;
  bool operator==(const terminus& other) const {
    return name == other.name && platforms == other.platforms;
  }
  template <class Archive>
  void serialize(Archive& ar, const unsigned int version) {
    ar& boost::serialization::base_object<stop>(*this);
    ar & platforms;
    version_seen = version;
  }
};

/// Saves and loads apart, members, with an array behind a pointer that it owns.
class heap_array {
 public:
  heap_array() = default;
  explicit heap_array(std::vector<double> values) : size_(static_cast<int>(values.size())) {
    values_ = new double[values.size()];
    for (std::size_t i = 0; i < values.size(); ++i) values_[i] = values[i];
  }
  heap_array(const heap_array& other)
      : heap_array(std::vector<double>(other.values_, other.values_ + other.size_)) {}
  heap_array& operator=(const heap_array&) = delete;
  ~heap_array() { delete[] values_; }
  bool operator==(const heap_array& other) const {
    return size_ == other.size_ && std::equal(values_, values_ + size_, other.values_);
  }

 private:
  friend class boost::serialization::access;
  template <class Archive>
  void save(Archive& ar, const unsigned int) const {
    ar << size_;
    ar << boost::serialization::make_array(values_, static_cast<std::size_t>(size_));
  }
  template <class Archive>
  void load(Archive& ar, const unsigned int) {
    int size = 0;
    ar >> size;
    delete[] values_;
    values_ = nullptr;
    size_ = 0;
    values_ = new double[static_cast<std::size_t>(size)];
    size_ = size;
    ar >> boost::serialization::make_array(values_, static_cast<std::size_t>(size_));
  }
  BOOST_SERIALIZATION_SPLIT_MEMBER()
  int size_ = 0;
  double* values_ = nullptr;
};

/// Free functions in `boost::serialization`, saving and loading apart.
class colour {
 public:
  colour() = default;
  explicit colour(std::string n) : name(std::move(n)) {}
  bool operator==(const colour&) const = default;
  std::string name;
};

/// A free function in `boost::serialization`, for a template.
template <class T>
class interval {
 public:
  T low{}, high{};
  bool operator==(const interval&) const = default;
};

/// Marked: the bytes are the value.
struct cell {
  double pressure = 0;
  int kind = 0;
  bool operator==(const cell&) const = default;
  template <class Archive>
  void serialize(Archive& ar, const unsigned int) {
    ar & pressure & kind;
  }
};

/// Boost's own classes inside.
struct measured {
  boost::optional<double> value;
  boost::variant<int, std::string> label;
  std::complex<double> amplitude;
  std::valarray<double> samples;
  char raw[8] = {};
  bool operator==(const measured& other) const {
    return value == other.value && label == other.label && amplitude == other.amplitude &&
           std::equal(std::begin(samples), std::end(samples), std::begin(other.samples),
                      std::end(other.samples)) &&
           std::equal(raw, raw + 8, other.raw);
  }
  template <class Archive>
  void serialize(Archive& ar, const unsigned int) {
    ar & value & label & amplitude & samples;
    ar& boost::serialization::make_binary_object(raw, sizeof raw);
  }
};

/// Written for Boost.MPI's archives and no others.
class only_for_mpi {
 public:
  only_for_mpi() = default;
  explicit only_for_mpi(std::vector<int> v) : values(std::move(v)) {}
  bool operator==(const only_for_mpi&) const = default;
  std::vector<int> values;
};
inline void serialize(boost::mpi::packed_oarchive& ar, only_for_mpi& x, const unsigned int) {
  ar & x.values;
}
inline void serialize(boost::mpi::packed_iarchive& ar, only_for_mpi& x, const unsigned int) {
  ar & x.values;
}

}  // namespace boost_types

namespace boost::serialization {

template <class Archive>
void save(Archive& ar, const boost_types::colour& c, const unsigned int) {
  ar << c.name;
}
template <class Archive>
void load(Archive& ar, boost_types::colour& c, const unsigned int) {
  ar >> c.name;
}
template <class Archive, class T>
void serialize(Archive& ar, boost_types::interval<T>& i, const unsigned int) {
  ar & i.low & i.high;
}

}  // namespace boost::serialization

BOOST_SERIALIZATION_SPLIT_FREE(boost_types::colour)
BOOST_CLASS_VERSION(boost_types::terminus, 3)
BOOST_CLASS_TRACKING(boost_types::cell, boost::serialization::track_never)
BOOST_IS_BITWISE_SERIALIZABLE(boost_types::cell)
BOOST_IS_MPI_DATATYPE(boost_types::gps_position)
BOOST_IS_MPI_DATATYPE(boost_types::cell)
